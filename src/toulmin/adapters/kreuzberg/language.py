"""The language of a text, detected where the file does not state it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toulmin.ports.parser import Parsed, Parser

_MIN_CONFIDENCE = 0.9
_MIN_CHARACTERS = 200
"""Of a shorter text the detector is often sure and wrong."""
_READ = 20_000

_TAGS = dict(
    pair.split("=")
    for pair in (
        "afr=af amh=am ara=ar aze=az bel=be ben=bn bul=bg cat=ca ces=cs cmn=zh dan=da deu=de ell=el eng=en epo=eo est=et fin=fi "
        "fra=fr guj=gu heb=he hin=hi hrv=hr hun=hu hye=hy ind=id ita=it jav=jv jpn=ja kan=kn kat=ka khm=km kor=ko lat=la lav=lv "
        "lit=lt mal=ml mar=mr mkd=mk mya=my nep=ne nld=nl nob=nb ori=or pan=pa pes=fa pol=pl por=pt ron=ro rus=ru sin=si slk=sk "
        "slv=sl sna=sn spa=es srp=sr swe=sv tam=ta tel=te tgl=tl tha=th tuk=tk tur=tr ukr=uk urd=ur uzb=uz vie=vi yid=yi zul=zu"
    ).split()
)
"""The codes of kreuzberg's detector (ISO 639-3) as the shortest language tags, which are what files state."""


@dataclass(frozen=True, slots=True)
class LanguageDetecting:
    """A parser that adds the language where it is not stated and can be told with confidence; the text is the inner parser's."""

    parser: Parser

    @property
    def name(self) -> str:
        return self.parser.name

    @property
    def suffixes(self) -> frozenset[str]:
        return self.parser.suffixes

    def parse(self, data: bytes, *, name: str) -> Parsed:
        parsed = self.parser.parse(data, name=name)
        return replace(parsed, language=parsed.language or detected(parsed.text[parsed.body :]))


def detected(text: str) -> str | None:
    """The language of a text as a tag such as `de`, by its first 20,000 characters; None where it is short or could be several."""
    if len(text) < _MIN_CHARACTERS:
        return None
    import kreuzberg

    detection = kreuzberg.LanguageDetectionConfig(enabled=True, min_confidence=_MIN_CONFIDENCE, detect_multiple=False)
    config = kreuzberg.ExtractionConfig(use_cache=False, language_detection=detection)
    found = kreuzberg.extract_bytes_sync(text[:_READ].encode(), "text/plain", config).detected_languages
    return _TAGS.get(found[0]) if found else None
