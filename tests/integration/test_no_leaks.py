"""Nothing of a document reaches a caller who may not see it, nor an answer that it may not be used for.

Every document is full of canaries: words that occur nowhere else, in each place where a document has words. Whatever a caller gets is searched
for them. Random corpora go through the facade in memory; one corpus goes through every command on SQLite and tantivy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.e2e.cli import Run, called, workspace, write
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application.packets import PacketView
from toulmin.domain.corpus.document import Status
from toulmin.domain.corpus.metadata import CuratedQuote, Metadata, stated_metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.errors import NotFound
from toulmin.domain.outcome import Outcome, UnsupportedQuestion
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.ports.source import Entry, Submitted
from toulmin.surfaces import wiring
from toulmin.surfaces.settings import Settings, load
from toulmin.surfaces.sync import Workspace
from toulmin.wire.outcome import outcome_json, search_json

SETTINGS = '[eligibility.default]\nrules = { edition = "equals" }\nignore = ["note"]\n'
CONTRACT = """\
id: pump
version: 1
case: {edition: {type: string}}
query: the pump stops
k: 3
eligibility: {rules: {edition: equals}, ignore: [note]}
facts:
  stops: {proposition: "The pump stops.", clause: "It stops."}
answer: {mode: licensed, drafter: template}
"""
CASE = {"edition": "1"}
PRINCIPALS = (
    ANONYMOUS,
    Principal(id="ann", tenant="acme"),
    Principal(id="art", tenant="acme", groups=("ops",)),
    Principal(id="bob", tenant="birch", roles=("auditor", "curator", "operator")),
    Principal(id="ida", tenant="acme", active=False),
)
AUDIENCES: tuple[tuple[str, ...], ...] = (
    ("public",),
    ("tenant:acme",),
    ("group:acme/ops",),
    ("group:birch/ops",),
    ("tenant:birch",),
    ("public", "tenant:birch"),
    (),
)
PARTS = ("id", "scope", "version", "title", "author", "type", "span", "other", "fact", "heading", "text")

Period = Literal["current", "expired", "future"]
Fate = Literal["live", "withdrawn", "deleted", "superseded", "readers changed"]
DATES: Mapping[Period, tuple[datetime, datetime | None]] = {
    "current": (datetime(2025, 1, 1, tzinfo=UTC), None),
    "expired": (datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)),
    "future": (datetime(2999, 1, 1, tzinfo=UTC), None),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One revision, and what becomes of it. A document that is superseded has another revision of the next number."""

    number: int
    document: int
    readers: tuple[str, ...]
    edition: str = "1"
    period: Period = "current"
    fate: Fate = "live"

    def canary(self, part: str) -> str:
        """The revision's own canary for a part; the id and the scope are those of its document."""
        return f"canary{self.document if part in ('id', 'scope') else self.number:03d}{part}"

    @property
    def canaries(self) -> set[str]:
        return set(map(self.canary, PARTS))

    def visible_to(self, principal: Principal) -> bool:
        return not principal.tokens.isdisjoint(self.readers)

    def usable_by(self, principal: Principal) -> bool:
        """Whether it may answer the case, for this principal and now."""
        in_service = self.fate in ("live", "readers changed")
        return self.visible_to(principal) and in_service and self.edition in ("*", "1") and self.period == "current"

    @property
    def entry(self) -> Entry:
        start, end = DATES[self.period]
        metadata = stated_metadata(
            {
                "id": self.canary("id"),
                "version": self.canary("version"),
                "title": self.canary("title"),
                "author": self.canary("author"),
                "source_type": self.canary("type"),
                "scope": Scope.of({"edition": self.edition, "note": self.canary("scope")}),
                "readers": self.readers,
                "valid_from": start,
                "valid_to": end,
                "spans": (
                    CuratedQuote(id=self.canary("span"), fact="stops", quote="The pump stops."),
                    CuratedQuote(id=self.canary("other"), fact=self.canary("fact"), quote=self.canary("text")),
                ),
            }
        )
        text = f"# {self.canary('heading')}\n\nThe pump stops. It says {self.canary('text')} inside.\n"
        return Entry(name=f"{self.number}.md", load=partial(_submitted, text.encode(), metadata))


def _submitted(data: bytes, metadata: Metadata) -> Submitted:
    return Submitted(default_id="unused", data=data, before=(metadata,), after=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is ingested first, what is done then, and what is true after it."""

    first: tuple[Planned, ...]
    then: tuple[Planned, ...]

    @property
    def after(self) -> tuple[Planned, ...]:
        """Every revision as it is at the end."""
        return tuple({one.number: one for one in (*self.first, *self.then)}.values())

    @property
    def canaries(self) -> set[str]:
        return {canary for one in self.after for canary in one.canaries}

    def hidden_from(self, principal: Principal) -> set[str]:
        """Canaries that the principal may never see."""
        return self.canaries - {c for one in self.after if one.visible_to(principal) for c in one.canaries}

    def useless_to(self, principal: Principal) -> set[str]:
        """Canaries that no answer and no search result of the principal may hold."""
        return self.canaries - {c for one in self.after if one.usable_by(principal) for c in one.canaries}


def told(value: object) -> set[str]:
    """The canaries in whatever a caller got."""
    return set(re.findall(r"canary\d{3}[a-z]+", value if isinstance(value, str) else repr(value)))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    first: list[Planned] = []
    then: list[Planned] = []
    for number in range(draw(st.integers(1, 6))):
        fates = ["live", "live", "withdrawn", "deleted", "superseded", "readers changed"]
        fate: Fate = draw(st.sampled_from(fates))
        period: Period = "current" if fate == "superseded" else draw(st.sampled_from(["current", "current", *DATES]))
        one = Planned(
            number=number,
            document=number,
            readers=draw(st.sampled_from(AUDIENCES)),
            edition=draw(st.sampled_from(["1", "1", "*", "2"])),
            period=period,
            fate=fate,
        )
        first.append(one)
        readers = draw(st.sampled_from(AUDIENCES))
        if fate == "superseded":
            then.append(Planned(number=100 + number, document=number, readers=readers, edition=one.edition))
        if fate == "readers changed":
            then.append(
                Planned(number=number, document=number, readers=readers, edition=one.edition, period=period, fate=fate)
            )
    return Plan(first=tuple(first), then=tuple(then))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = workspace(tmp_path_factory.mktemp("desk"), settings=SETTINGS, contracts={"pump.yaml": CONTRACT})
    return load(folder)


def ask_all(place: Workspace, principal: Principal) -> Iterator[Outcome]:
    yield place.ask("pump", case=CASE, principal=principal)
    yield place.ask_text("the pump stops", case=CASE, principal=principal)
    yield place.ask("pump", case={"edition": "9"}, principal=principal)


def carry_out(plan: Plan, place: Workspace) -> None:
    """What becomes of the documents after the first questions."""
    for one in plan.first:
        if one.fate in ("withdrawn", "deleted"):
            place.retire(one.canary("id"), Status(one.fate))
    ingested(place, plan.then)


def ingested(place: Workspace, planned: Sequence[Planned]) -> None:
    assert [report.fault for report in place.ingest([one.entry for one in planned])] == [None] * len(planned)


def packet_of(outcome: Outcome) -> str:
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return outcome.receipt.packet


def shown_packet(place: Workspace, packet: str, principal: Principal) -> PacketView | None:
    """The packet, or None where it is told like one that does not exist."""
    try:
        return place.packet(packet, principal=principal)
    except NotFound as fault:
        refusal = str(fault)
    with pytest.raises(NotFound) as unknown:
        place.packet("pk-unknown", principal=principal)
    assert refusal.replace(packet, "pk-unknown") == str(unknown.value)
    return None


@settings(max_examples=200)
@given(plan=plans(), reader=st.sampled_from(PRINCIPALS))
def test_no_canary_reaches_a_caller_who_may_not_see_it(desk: Settings, plan: Plan, reader: Principal) -> None:
    with closing(Workspace(desk, wiring.assembled(desk, MemoryStore(), OverlapIndex()))) as place:
        ingested(place, plan.first)
        old = [packet_of(outcome) for asker in PRINCIPALS for outcome in ask_all(place, asker)]
        carry_out(plan, place)
        hidden, useless = plan.hidden_from(reader), plan.useless_to(reader)
        deleted = {one.canary("text") for one in plan.after if one.fate == "deleted"}
        usable = {one.canary("version") for one in plan.after if one.usable_by(reader)}

        found = place.search("the pump stops", case=CASE, principal=reader, k=20)
        assert {item.found.id.version for item in found.items} == usable
        assert found.eligible == len(usable)
        assert not told(found) & useless

        for outcome in ask_all(place, reader):
            view = shown_packet(place, packet_of(outcome), reader)
            assert (view is not None) == reader.active
            assert view is None or view.body["trace"][0]["eligible"] <= len(usable)
            assert not told([outcome, outcome_json(outcome), view]) & useless

        explained = place.search("the pump stops", case=CASE, principal=reader, explain=True)
        standings = place.documents(principal=reader)
        everything: list[object] = [
            explained,
            standings,
            place.check_contracts(principal=reader),
            *(place.documents(document=one.canary("id"), principal=reader) for one in plan.after),
            *(place.revision(key, principal=reader) for key in range(1, 2 * len(plan.after) + 2)),
        ]
        packets = [view for packet in old if (view := shown_packet(place, packet, reader))]
        assert not told([*everything, packets]) & hidden
        assert not told([*everything, packets]) & deleted
        assert {standing.id.version for standing in standings} == {
            one.canary("version") for one in plan.after if one.visible_to(reader)
        }
        words = {
            one.canary(part) for one in plan.after if not one.usable_by(reader) for part in ("text", "title", "heading")
        }
        assert not told(json.dumps(search_json(explained, explain=True))) & words


ANN = "id = 'ann'\ntenant = 'acme'\n"
WHO: Mapping[str, tuple[str, ...]] = {
    "anonymous": (),
    "tenant": ("--as", "ann.toml"),
    "inactive": ("--as", "inactive.toml"),
}
AS: Mapping[str, Principal] = {"anonymous": PRINCIPALS[0], "tenant": PRINCIPALS[1], "inactive": PRINCIPALS[4]}
SECRET = Planned(number=7, document=7, readers=("tenant:birch",))
EVERY_KIND = Plan(
    first=(
        Planned(number=1, document=1, readers=("public",)),
        Planned(number=2, document=2, readers=("public",), edition="2"),
        Planned(number=3, document=3, readers=("public",), period="expired"),
        Planned(number=4, document=4, readers=("public",), fate="withdrawn"),
        Planned(number=5, document=5, readers=("public",), fate="deleted"),
        Planned(number=6, document=6, readers=("public",), fate="superseded"),
        SECRET,
        Planned(number=8, document=8, readers=()),
        Planned(number=9, document=9, readers=("tenant:acme",)),
        Planned(number=10, document=10, readers=("public",), fate="readers changed"),
        Planned(number=11, document=11, readers=("group:acme/ops",)),
        Planned(number=12, document=12, readers=("public",), period="future"),
    ),
    then=(
        Planned(number=106, document=6, readers=("public",)),
        Planned(number=10, document=10, readers=("tenant:birch",), fate="readers changed"),
    ),
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A workspace on disk, and the packets that were made before its documents met their fates."""

    folder: Path
    packets: Mapping[str, str]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = workspace(tmp_path_factory.mktemp("corpus"), settings=SETTINGS, contracts={"pump.yaml": CONTRACT})
    write(folder, {"ann.toml": ANN, "inactive.toml": "id = 'ida'\ntenant = 'acme'\nactive = false\n"})
    with Workspace.open(folder) as place:
        ingested(place, EVERY_KIND.first)
        packets = {f"{who.id} {n}": packet_of(o) for who in PRINCIPALS for n, o in enumerate(ask_all(place, who))}
        carry_out(EVERY_KIND, place)
    return Corpus(folder, packets)


def run(corpus: Corpus, who: str, *arguments: str) -> str:
    """Everything that a command says, in words and in JSON."""
    given = (*arguments, *WHO[who])
    runs: list[Run] = [called(*given, at=corpus.folder), called(*given, "--json", at=corpus.folder)]
    return "".join(one.out + one.err for one in runs)


@pytest.mark.parametrize("who", WHO)
def test_no_command_tells_a_caller_of_what_it_may_not_see(corpus: Corpus, who: str) -> None:
    hidden = EVERY_KIND.hidden_from(AS[who]) | {"canary005text"}
    commands: list[tuple[str, ...]] = [
        ("document", "list"),
        *(("document", "show", one.canary("id")) for one in EVERY_KIND.after if one.visible_to(AS[who])),
        ("document", "show", "no-such-document"),
        ("search", "the pump stops", "--case", "edition=1", "--explain", "-k", "20"),
        ("search", "the pump stops", "--case", "edition=1", "--as-of", "2020-06-01", "--explain"),
        ("search", "canary007text canary008text canary005text"),
        ("ask", "pump", "--case", "edition=1"),
        ("ask", "pump", "--case", "edition=1", "--as-of", "2025-06-01"),
        ("ask", "--text", "canary007text", "--case", "edition=1"),
        ("contracts", "check"),
        *(("packet", "show", packet) for packet in corpus.packets.values()),
        ("search", "x", "--profile", "no-such-profile"),
        ("search", "x", "--case", "note=x"),
        ("ask", "pump"),
    ]
    for command in commands:
        own_words = told(" ".join(command))
        assert not (told(run(corpus, who, *command)) & hidden) - own_words, command


@pytest.mark.parametrize("who", WHO)
def test_what_may_not_be_used_is_in_no_search_and_no_answer(corpus: Corpus, who: str) -> None:
    useless = EVERY_KIND.useless_to(AS[who])
    for command in (
        ("search", "the pump stops", "--case", "edition=1", "-k", "20"),
        ("ask", "pump", "--case", "edition=1", "-k", "20"),
        ("ask", "--text", "the pump stops", "--case", "edition=1"),
    ):
        assert not told(run(corpus, who, *command)) & useless
    search = called("search", "the pump stops", "--case", "edition=1", "--json", *WHO[who], at=corpus.folder).json
    assert search["eligible"] == sum(one.usable_by(AS[who]) for one in EVERY_KIND.after)


def test_the_plan_has_something_to_find_for_each_who_may_find_it(corpus: Corpus) -> None:
    assert told(run(corpus, "anonymous", "search", "the pump stops", "--case", "edition=1")) >= {
        "canary001text",
        "canary106text",
    }
    assert "canary009text" in run(corpus, "tenant", "search", "the pump stops", "--case", "edition=1")
    assert "nothing found in 0 eligible documents" in run(corpus, "inactive", "search", "the pump stops")


@pytest.mark.parametrize("who", WHO)
def test_a_hidden_document_is_told_like_one_that_does_not_exist(corpus: Corpus, who: str) -> None:
    hidden = run(corpus, who, "document", "show", SECRET.canary("id"))
    assert hidden.replace(SECRET.canary("id"), "no-such") == run(corpus, who, "document", "show", "no-such")


def test_a_packet_is_hidden_as_soon_as_a_sources_readers_change(tmp_path: Path) -> None:
    folder = workspace(tmp_path, settings=SETTINGS, contracts={"pump.yaml": CONTRACT})
    one = Planned(number=1, document=1, readers=("public",))
    with Workspace.open(folder) as place:
        ingested(place, [one])
        packet = packet_of(place.ask("pump", case=CASE))
        assert place.packet(packet).sources
        ingested(place, [Planned(number=1, document=1, readers=("tenant:acme",))])
        assert shown_packet(place, packet, ANONYMOUS) is None
        assert shown_packet(place, packet, PRINCIPALS[1]) is not None


def test_a_packet_without_sources_is_for_its_requester_alone(tmp_path: Path) -> None:
    folder = workspace(tmp_path, settings=SETTINGS, contracts={"pump.yaml": CONTRACT})
    with Workspace.open(folder) as place:
        packet = packet_of(place.ask_text("canary000text", case=CASE, principal=PRINCIPALS[1]))
        assert shown_packet(place, packet, PRINCIPALS[1]) is not None
        assert [shown_packet(place, packet, who) for who in PRINCIPALS if who is not PRINCIPALS[1]] == [None] * 4
