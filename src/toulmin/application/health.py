"""The checks of doctor: from what was found to a `Check`, in words that a newcomer understands. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from toulmin.application.probe import Probed
from toulmin.application.trial import Tried
from toulmin.domain.claims.checks import Finding
from toulmin.domain.corpus.document import Status
from toulmin.domain.errors import ToulminError
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.domain.proof.audit import Audit
from toulmin.ports.health import IndexReport, StoreReport
from toulmin.ports.judge import NotJudged, Worth
from toulmin.ports.store import Outlook

MANY_SCOPES = 10_000
"""Different scopes beyond which judging them all, once for every new case, is felt."""

LITTLE_SPACE = 1 << 30
"""Free bytes below which the disk is called nearly full: a rebuild needs room for a second index."""


_REBUILD = "toulmin index rebuild"


Facts = Mapping[str, float | str | None]


class Grade(StrEnum):
    """How a check ended. A warning is for a person to judge; `wrong` wants mending."""

    WELL = "well"
    WARNING = "warning"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one look found: in words, as facts for programs, and with a remedy unless all is well."""

    name: str
    grade: Grade
    message: str
    facts: Facts
    remedy: str | None = None


def store_files(report: StoreReport) -> Check:
    """Whether the database is sound."""
    facts = {"schema": report.schema, "bytes": report.size, "faults": len(report.faults)}
    if report.faults:
        return Check(
            name="store",
            grade=Grade.WRONG,
            message=f"the database is damaged: {'; '.join(report.faults)}",
            facts=facts,
            remedy="stop writing to it and restore the latest backup (docs/how-to/recover.md)",
        )
    message = f"the database opens and is sound: schema {report.schema}, {_size(report.size)}"
    return Check(name="store", grade=Grade.WELL, message=message, facts=facts)


def documents(report: StoreReport) -> Check:
    """What is stored, and whether somebody may read it."""
    counts = {status.value: report.revisions.get(status, 0) for status in Status}
    said = ", ".join(f"{count} {status}" for status, count in counts.items())
    facts = {**counts, "without_readers": report.unreadable}
    if report.unreadable:
        return Check(
            name="documents",
            grade=Grade.WARNING,
            message=f"versions of documents: {said}; nobody may read {report.unreadable} of the live ones",
            facts=facts,
            remedy="state `readers` in their metadata, for instance [public], and ingest them again",
        )
    return Check(name="documents", grade=Grade.WELL, message=f"versions of documents: {said}", facts=facts)


def scopes(report: StoreReport) -> Check:
    """Whether there are so many different scopes that judging them takes long."""
    facts = {"scopes": report.scopes}
    if report.scopes > MANY_SCOPES:
        return Check(
            name="scopes",
            grade=Grade.WARNING,
            message=f"{report.scopes} different scopes: every new case is judged against each of them, which takes seconds",
            facts=facts,
            remedy="leave out of `scope` what no rule judges: an attribute with a value of its own for each document makes a scope for each",
        )
    return Check(name="scopes", grade=Grade.WELL, message=f"different scopes: {report.scopes}", facts=facts)


def erasures(report: StoreReport) -> Check:
    """Whether every erasure was finished: gone from rows, index and files."""
    facts = {"unfinished": report.unfinished}
    if report.unfinished:
        return Check(
            name="erasures",
            grade=Grade.WRONG,
            message=f"erased versions of documents whose words may still be in files of the workspace: {report.unfinished}",
            facts=facts,
            remedy="toulmin document erase --unfinished",
        )
    return Check(name="erasures", grade=Grade.WELL, message="no erasure is unfinished", facts=facts)


def drafts(report: StoreReport) -> Check:
    """What models have taken so far, by the traces of all packets."""
    sums = report.drafts
    facts = asdict(sums)
    if not sums.drafts:
        return Check(name="drafts", grade=Grade.WELL, message="no packet has a draft by a model", facts=facts)
    saved = f"; kept or shared drafts used again: {sums.kept + sums.shared}" if sums.kept + sums.shared else ""
    message = (
        f"drafts by a model: {sums.drafts} in {sums.calls} calls, {sums.calls - sums.drafts} of them repeated; "
        f"{sums.seconds / sums.drafts:.1f} s each, {sums.slowest_s:.1f} s at most; "
        f"tokens: {sums.prompt_tokens} read, {sums.completion_tokens} written{saved}"
    )
    return Check(name="drafts", grade=Grade.WELL, message=message, facts=facts)


def judgements(report: StoreReport) -> Check:
    """What judges have taken so far, by the traces of all packets."""
    sums = report.judgements
    message = "no packet has an opinion of a judge"
    if sums.asked:
        message = (
            f"a judge was asked {sums.asked} times in {sums.calls} calls; {sums.seconds / sums.asked:.1f} s each; "
            f"tokens: {sums.prompt_tokens} read, {sums.completion_tokens} written"
        )
    return Check(name="judgements", grade=Grade.WELL, message=message, facts=asdict(sums))


def ledger(found: Audit) -> Check:
    """Whether the ledger contradicts itself: what it takes no checkpoint from elsewhere to see."""
    facts = {"entries": found.entries, "sealed": found.sealed, "tail": found.tail, "findings": len(found.findings)}
    if found.findings:
        return Check(
            name="ledger",
            grade=Grade.WRONG,
            message=f"the ledger was changed: {found.findings[0].says}",
            facts=facts,
            remedy="toulmin ledger verify, with the checkpoints that were kept elsewhere",
        )
    message = f"the ledger is whole: {found.entries} entries, {found.tail} of them not sealed yet"
    return Check(name="ledger", grade=Grade.WELL, message=message, facts=facts)


def signing(key: str | None) -> Check:
    """Whether checkpoints and exported packets are signed."""
    said = "not signed: no key is configured" if key is None else f"signed by key {key}"
    message = f"checkpoints of the ledger and exported packets are {said}"
    return Check(name="signing", grade=Grade.WELL, message=message, facts={"key": key})


@dataclass(frozen=True, slots=True)
class Which:
    """Which of the derived indexes is looked at: the name of its checks, its name in a sentence, and what brings it up."""

    name: str
    noun: str
    bring_up: str


INDEX = Which(
    "index", "the index", "nothing, if another process is at work; else the next search or ingest brings it up"
)
VECTORS = Which("vectors", "the index by meaning", "toulmin index embed")


def index_files(report: IndexReport, which: Which = INDEX) -> Check:
    """Whether the index's files are as they were written."""
    facts = {"format": report.format, "bytes": report.size, "passages": report.passages, "damaged": len(report.damaged)}
    if report.damaged:
        return Check(
            name=which.name,
            grade=Grade.WRONG,
            message=f"files of {which.noun} are damaged: {', '.join(report.damaged)}",
            facts=facts,
            remedy=_REBUILD,
        )
    message = f"{which.noun} can be read: format {report.format}, {_size(report.size)}"
    return Check(name=which.name, grade=Grade.WELL, message=message, facts=facts)


def lag(sequence: int, mark: int, outlook: Outlook, which: Which = INDEX) -> Check:
    """Whether the index belongs to this corpus, and how far it is behind."""
    facts = {"sequence": sequence, "corpus": outlook.sequence}
    if mark != outlook.mark:
        message = f"{which.noun} belongs to another corpus, or to this one before a backup was restored"
        return Check(name=f"{which.name} lag", grade=Grade.WRONG, message=message, facts=facts, remedy=_REBUILD)
    behind = outlook.sequence - sequence
    if behind:
        return Check(
            name=f"{which.name} lag",
            grade=Grade.WARNING,
            message=f"{which.noun} is {behind} behind the {outlook.sequence} changes of the corpus, which have {outlook.passages} passages",
            facts=facts,
            remedy=which.bring_up,
        )
    message = f"{which.noun} is up with all {sequence} changes of the corpus"
    return Check(name=f"{which.name} lag", grade=Grade.WELL, message=message, facts=facts)


def drift(stored: int, indexed: int, *, strays: int, gaps: int, which: Which = INDEX) -> Check:
    """Whether store and index hold the same passages: their numbers, and of a sample each way, how many the other lacks."""
    facts = {"stored": stored, "indexed": indexed, "strays": strays, "gaps": gaps}
    if stored != indexed or strays or gaps:
        return Check(
            name=f"{which.name} drift",
            grade=Grade.WRONG,
            message=f"the corpus has {stored} live passages, {which.noun} {indexed}; in a sample it lacks {gaps}, and has "
            f"{strays} that are not live (they are never served)",
            facts=facts,
            remedy=_REBUILD,
        )
    message = f"corpus and {which.noun} hold the same {stored} passages, by number and in a sample"
    return Check(name=f"{which.name} drift", grade=Grade.WELL, message=message, facts=facts)


def embedder(profile: str) -> Check:
    """Which embedder is configured."""
    message = f"passages are found by what they mean as well: {profile}"
    return Check(name="embedder", grade=Grade.WELL, message=message, facts={"profile": profile})


def disk(free_bytes: int) -> Check:
    """Whether there is room to go on."""
    facts = {"free_bytes": free_bytes}
    if free_bytes < LITTLE_SPACE:
        message = f"only {_size(free_bytes)} are free on the workspace's disk"
        remedy = "free some: a full disk stops ingest, though nothing that is stored is lost"
        return Check(name="disk", grade=Grade.WARNING, message=message, facts=facts, remedy=remedy)
    return Check(name="disk", grade=Grade.WELL, message=f"{_size(free_bytes)} are free", facts=facts)


def contracts(number: int, findings: Sequence[Finding], principal: str) -> Check:
    """Whether the contracts load, and how they stand against the corpus as a principal sees it."""
    fatal = sum(finding.fatal for finding in findings)
    facts = {"contracts": number, "errors": fatal, "warnings": len(findings) - fatal}
    message = f"contracts that load: {number}; errors: {fatal}; warnings: {len(findings) - fatal} (as {principal} sees the corpus)"
    if findings:
        remedy = "see what they are: toulmin contracts check"
        return Check(name="contracts", grade=Grade.WARNING, message=message, facts=facts, remedy=remedy)
    return Check(name="contracts", grade=Grade.WELL, message=message, facts=facts)


def policy(loaded: Policy) -> Check:
    """Which policy holds."""
    facts = {"version": loaded.version, "digest": loaded.digest}
    return Check(name="policy", grade=Grade.WELL, message=f"the policy loads: {loaded.version}", facts=facts)


def engine(name: str, kind: str) -> Check:
    """A part that is in every version, and that cannot fail."""
    return Check(name=name, grade=Grade.WELL, message=f"{kind}: works", facts={"kind": kind})


def silent_model(name: str, profile: str, *, may_leave: bool) -> Check:
    """A drafter or judge that was not asked: because it is wanted so, or because no evidence may go to it."""
    facts = {"profile": profile}
    if may_leave:
        message = f"{profile}: configured, and not asked, as wanted"
        return Check(name=name, grade=Grade.WELL, message=message, facts=facts)
    without = _WITHOUT_JUDGE if name == "judge" else "every draft ends in egress_denied"
    message = f"{profile}: it is not on this host, and nobody approved that documents go there: {without}"
    remedy = (
        f"if they may, write external = true under [{name}]; documents labelled `egress: local` stay here all the same"
    )
    return Check(name=name, grade=Grade.WARNING, message=message, facts=facts, remedy=remedy)


def model(profile: str, probed: Probed) -> Check:
    """What works with a model, by small drafts that it was asked for."""
    cause = probed.cause
    reason = None if cause is None else cause.reason.value
    detail = None if cause is None else cause.detail
    facts: Facts = {"profile": profile, "seconds": round(probed.seconds, 3), "reason": reason, "detail": detail}
    took = f"{profile} ({probed.seconds:.1f} s)"
    if probed.licensed:
        message = f"{took}: writes the JSON that is asked for, and copies licensed sentences; all modes work"
        return Check(name="drafter", grade=Grade.WELL, message=message, facts=facts)
    if probed.open:
        message = f"{took}: answers open questions; for contracts in licensed mode it fails, since it does not copy a sentence in JSON"
        remedy = "use drafter: template in these contracts, or a model that keeps to a JSON form"
        return Check(name="drafter", grade=Grade.WARNING, message=message, facts=facts, remedy=remedy)
    said = "" if cause is None or cause.detail in (None, reason) else f" ({cause.detail})"
    remedy = _remedy("drafter", cause.reason, cause.detail) if cause else _ANOTHER_MODEL
    message = f"{took}: no draft: {reason}{said}; questions that need it end in SearchOnly"
    return Check(name="drafter", grade=Grade.WRONG, message=message, facts=facts, remedy=remedy)


_WITHOUT_JUDGE = "a claim is supported only where it is its source's own sentence"


def no_judge() -> Check:
    """The oracles alone: they are part of every version."""
    message = f"oracles: they object, and never support; {_WITHOUT_JUDGE}"
    return Check(name="judge", grade=Grade.WELL, message=message, facts={"kind": "oracles"})


def judge(profile: str, tried: Tried | NotJudged, loaded: Policy, worth: Worth | None = None) -> Check:
    """What works with a judge, by made-up claims that it was asked about.

    Three claims tell whether it works, and little of how well. Where its `worth` was measured, that is told, and a claim that it leaves
    open is no warning.
    """
    if isinstance(tried, NotJudged):
        reason, detail = tried.reason.value, tried.detail
        said = "" if detail in (None, reason) else f" ({detail})"
        return Check(
            name="judge",
            grade=Grade.WRONG,
            message=f"{profile}: no judgement: {reason}{said}; {_WITHOUT_JUDGE}",
            facts={"profile": profile, "reason": reason, "detail": detail},
            remedy=_remedy("judge", tried.reason, detail),
        )
    told = tried.supported.probabilities
    sure = None if told is None else round(told.supported, 3)
    facts: Facts = {"profile": profile, "seconds": round(tried.seconds, 3), "right": tried.right, "supported": sure}
    took = f"{profile} ({tried.seconds:.1f} s)"
    if tried.why is not None:
        message = f"{took}: no opinion: {tried.why}; without one, {_WITHOUT_JUDGE}"
        remedy = "a server that tells log probabilities, or a model that keeps to the words that it is given"
        return Check(name="judge", grade=Grade.WRONG, message=message, facts=facts, remedy=remedy)
    right = f"{took}: gives probabilities, and is right about {tried.right} of 3 made-up claims"
    is_known = worth is not None and not tried.misled(loaded)
    if tried.right < len(tried.opinions) and not is_known:
        remedy = "do not rely on it: measure it on your own claims, or use another model"
        return Check(name="judge", grade=Grade.WARNING, message=right, facts=facts, remedy=remedy)
    if sure is not None and sure < loaded.supported and not is_known:
        message = f"{right}, but gives the supported one {sure:g}, below the policy's threshold of {loaded.supported:g}"
        remedy = "another model; the threshold is there for a reason"
        return Check(name="judge", grade=Grade.WARNING, message=message, facts=facts, remedy=remedy)
    if not tried.matters and (loaded.sufficiency is not None or loaded.routing is not None):
        message = (
            f"{right}, but judges no passages, for which the policy has a threshold: such questions end in SearchOnly"
        )
        remedy = "take sufficiency and routing out of the policy, or use another model"
        return Check(name="judge", grade=Grade.WARNING, message=message, facts=facts, remedy=remedy)
    message = right if worth is None else f"{right}; {_worth(worth)}"
    return Check(name="judge", grade=Grade.WELL, message=message, facts=facts)


def _worth(measured: Worth) -> str:
    return (
        f"on {measured.claims} labelled claims ({measured.on}), with a threshold of {measured.supported:g}, of the claims that it "
        f"delivers {measured.unsupported_claim_rate} are not supported, and of those that are {measured.false_rejection_rate} are not delivered"
    )


_ANOTHER_MODEL = "try another model: this one does not keep to the form that it is asked for"
_REMEDIES = {
    "connect": "start the server, or correct base_url under [{section}]",
    "tls": "the server's certificate is not one that this system trusts: correct base_url, or install its authority",
    "redirect": "write the address that the server redirects to: redirects are not followed",
    "http_401": "set the API key: in the variable that api_key_env names, or in the file that api_key_file names",
    "http_403": "the API key may not use this model: use another",
    "http_404": "check model, and that base_url ends before /chat/completions{or_systemone}",
    "bad_content_type": "check base_url: what answers there does not speak the interface of this kind",
    "bad_json": "check base_url: what answers there does not speak the interface of this kind",
}


def _remedy(section: str, reason: SearchOnlyReason, detail: str | None) -> str:
    """What to do about a drafter or judge that failed."""
    if detail in _REMEDIES:
        return _REMEDIES[detail].format(section=section, or_systemone=" or /systemone" if section == "judge" else "")
    match reason:
        case SearchOnlyReason.TIMEOUT:
            return "look whether the server is busy or loading its model; a smaller model is faster"
        case SearchOnlyReason.RATE_LIMITED:
            return f"wait, or set per_minute under [{section}] to what the provider allows"
        case SearchOnlyReason.PROVIDER_ERROR:
            return "look into the provider's own log"
        case _:
            return _ANOTHER_MODEL


def broken(name: str, fault: ToulminError) -> Check:
    """A part that could not be looked at."""
    message = f"{fault.where}: {fault.message}" if fault.where else fault.message
    return Check(name=name, grade=Grade.WRONG, message=message, facts={"code": fault.code}, remedy=fault.remedy)


def _size(size: int) -> str:
    """Bytes in words: `12.3 MB`."""
    if size < 1_000:
        return f"{size} bytes"
    for unit, factor in (("kB", 10**3), ("MB", 10**6)):
        if size < 1_000 * factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size / 10**9:.1f} GB"
