"""Measures: units, percent and currencies, and what one of them is worth in the base unit of its dimension."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Measure:
    """A unit: one of it is `factor` of its dimension's base unit. Units of different dimensions cannot be turned into each other."""

    name: str
    dimension: str
    factor: Decimal


# dimension | factor | names; a name of four letters or more is a word, in small letters, and takes an s as well
_TABLE = """
time | 1e-9 | ns nanosecond
time | 1e-6 | us µs μs microsecond
time | 0.001 | ms millisecond msec
time | 1 | s sec secs second
time | 60 | min mins minute
time | 3600 | h hr hrs hour
time | 86400 | d day
time | 604800 | week
time | 1209600 | fortnight
working time | 1 | workday
months | 1 | month
months | 12 | year yr yrs
months | 120 | decade
months | 1200 | century centuries
data | 0.125 | bit bits
data | 1 | B byte
data | 1e3 | kB KB kb kilobyte
data | 1e6 | MB mb megabyte
data | 1e9 | GB gb gigabyte
data | 1e12 | TB tb terabyte
data | 1e15 | PB petabyte
data | 1024 | KiB kibibyte
data | 1048576 | MiB mebibyte
data | 1073741824 | GiB gibibyte
data | 1099511627776 | TiB tebibyte
data | 125 | kbit kilobit
data | 125000 | Mbit Mb megabit
data | 125000000 | Gbit Gb gigabit
data rate | 125000 | Mbps
data rate | 125000000 | Gbps
length | 1e-9 | nm nanometre nanometer
length | 1e-6 | µm μm micrometre micrometer micron
length | 0.001 | mm millimetre millimeter
length | 0.01 | cm centimetre centimeter
length | 1 | m metre meter
length | 1000 | km kilometre kilometer
length | 0.0254 | inch inches
length | 0.3048 | ft foot feet
length | 0.9144 | yd yard
length | 1609.344 | mi mile
pixels | 1 | px pixel
mass | 1e-9 | ng nanogram
mass | 1e-6 | µg μg mcg microgram
mass | 0.001 | mg milligram
mass | 1 | g gram gramme
mass | 1000 | kg kilogram kilogramme
mass | 1e6 | t tonne
pounds | 1 | lb lbs
mass | 28.349523125 | oz ounce
volume | 0.001 | ml mL millilitre milliliter
volume | 0.01 | cl cL centilitre centiliter
volume | 0.1 | dl dL decilitre deciliter
volume | 1 | l L litre liter
volume | 3.785411784 | gal gallon
pressure | 1 | Pa pascal
pressure | 100 | mbar hPa millibar
pressure | 1000 | kPa
pressure | 1e5 | bar bars
pressure | 1e6 | MPa
psi | 1 | psi
voltage | 0.001 | mV millivolt
voltage | 1 | V volt
voltage | 1000 | kV kilovolt
current | 0.001 | mA milliampere milliamp
current | 1 | A ampere amp amps
power | 0.001 | mW milliwatt
power | 1 | W watt
power | 1000 | kW kilowatt
power | 1e6 | MW megawatt
energy | 1 | J joule
energy | 1000 | kJ kilojoule
energy | 3600 | Wh
energy | 3.6e6 | kWh
energy | 4184 | kcal kilocalorie
frequency | 1 | Hz hertz
frequency | 1e3 | kHz kilohertz
frequency | 1e6 | MHz megahertz
frequency | 1e9 | GHz gigahertz
force | 1 | N newton
force | 1000 | kN kilonewton
torque | 1 | Nm
rotation | 1 | rpm
sound | 1 | dB decibel
angle | 1 | ° deg degree
temperature in °C | 1 | °C
temperature in °F | 1 | °F
speed | 1 | mps
speed in km/h | 1 | kmh kph
speed in mph | 1 | mph
times | 1 | times fold
EUR | 1 | € EUR euro
USD | 1 | $ US$ USD dollar buck
GBP | 1 | £ GBP
CHF | 1 | CHF franc
JPY | 1 | ¥ JPY yen
CNY | 1 | CNY RMB yuan
INR | 1 | ₹ INR rupee
SEK | 1 | SEK
pounds | 1 | pound
"""

PERCENT = Measure("%", "percent", Decimal(1))
POINTS = Measure("percentage points", "percentage points", Decimal(1))
_WORKING_DAY = Measure("working days", "working time", Decimal(1))


def _table() -> dict[str, Measure]:
    measures = {}
    for line in _TABLE.strip().splitlines():
        dimension, factor, names = line.split(" | ")
        first, *_ = names.split()
        for name in names.split():
            measure = Measure(first, dimension, Decimal(factor))
            measures[name] = measure
            if len(name) >= 3 and name.isalpha() and name.islower():
                measures[name + "s"] = measure
    return measures


MEASURES = _table()
TIMES = MEASURES["times"]

_GAP = "[ \u00a0\u202f\u2009\n`*-]{0,4}"
_POINTS = re.compile(rf"{_GAP}(?:percentage[\s-]points?\b|%-points?\b|pp\b|p\.p\.)", re.IGNORECASE)
_PERCENT = re.compile(rf"{_GAP}(?:%|(?:percent|per\scent|pct|percentage)\b)", re.IGNORECASE)
_DEGREES = re.compile(rf"{_GAP}(?:°\s?|degrees?\s+)([CF])(?:elsius|ahrenheit)?\b", re.IGNORECASE)
_WORKING = re.compile(rf"{_GAP}(?:business|working)[\s-]days?\b", re.IGNORECASE)
_SLASHED = re.compile(r"\s?(?:km/h|m/s)\b")
_UNIT = re.compile(rf"{_GAP}\(?(?:(?:calendar|consecutive|full|additional|whole)\s+)?([^\W\d_]+|[°€£¥₹$])(?![\w])")
_RATE = re.compile(r"(?:\s?/\s?|\s+(?:per|an?|each|every)\s+)([^\W\d_]+)\b")


def measure_at(text: str, at: int, end: int) -> tuple[Measure, int] | None:
    """The unit that follows a number which ends at `at`, and where the unit ends; None where none does."""
    if found := _POINTS.match(text, at, end):
        return POINTS, found.end()
    if found := _PERCENT.match(text, at, end):
        return PERCENT, found.end()
    if found := _DEGREES.match(text, at, end):
        return MEASURES["°" + found[1].upper()], found.end()
    if found := _WORKING.match(text, at, end):
        return _WORKING_DAY, found.end()
    if found := _SLASHED.match(text, at, end):
        return MEASURES["kmh" if "h" in found[0] else "mps"], found.end()
    found = _UNIT.match(text, at, end)
    measure = named(found[1]) if found else None
    return (measure, found.end()) if found and measure else None


def named(name: str) -> Measure | None:
    """The unit of a symbol, in its own letters, or of a word of at least four letters, in any."""
    return MEASURES.get(name) or (MEASURES.get(name.lower()) if len(name) > 3 else None)


def rate_at(text: str, at: int, end: int) -> tuple[Measure, int] | None:
    """The unit that a quantity which ends at `at` is counted by, as in "a month", and where that ends."""
    found = _RATE.match(text, at, end)
    measure = named(found[1]) if found else None
    return (measure, found.end()) if found and measure else None
