from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from tests.samples import archives
from tests.samples.pdfs import pdf
from toulmin.adapters.kreuzberg.language import LanguageDetecting, detected
from toulmin.adapters.kreuzberg.pdf import PdfParser
from toulmin.adapters.markup.parser import MarkupParser
from toulmin.application.ingest import FileOutcome, FileReport
from toulmin.domain.corpus.document import Page
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.domain.corpus.passages import BlockKind
from toulmin.domain.corpus.recall import recall
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, Parser, ParsingLimits
from toulmin.ports.source import Entry
from toulmin.surfaces.settings import load
from toulmin.surfaces.sync import Workspace
from toulmin.testing.parser import check_parsed

SAMPLES = Path(__file__).parent.parent / "samples"
UNREADABLE = {"005-libreoffice-writer-password.pdf": "encrypted", "007-imagemagick-images.pdf": "no_text"}
DEATHS = """\
Sex | alive n | alive % | dead n | dead % | total n | total %
Female | 173 | 59 | 120 | 41 | 293 | 100
Male | 227 | 66.2 | 116 | 33.8 | 343 | 100"""
TABLE = ["Sex | dead % | total n", "Female | 41 | 293"]


def parse(data: bytes, name: str, limits: ParsingLimits | None = None) -> Parsed:
    """What the parser of a file's format makes of it."""
    given = limits or ParsingLimits()
    parser: Parser = PdfParser(given) if name.endswith(".pdf") else MarkupParser(given)
    parsed = parser.parse(data, name=name)
    check_parsed(parsed)
    return parsed


def refusal(data: bytes, name: str, limits: ParsingLimits | None = None) -> InputError:
    with pytest.raises(InputError) as refused:
        parse(data, name, limits)
    assert (refused.value.where or "").startswith(name)
    assert refused.value.remedy
    return refused.value


def outline(parsed: Parsed) -> list[tuple[tuple[str, ...], list[str]]]:
    """Each section's heading path and the words of its blocks."""
    return [(s.heading, [parsed.text[block.start : block.end] for block in s.blocks]) for s in parsed.sections]


def blocks(parsed: Parsed, kind: BlockKind) -> list[str]:
    found = (block for section in parsed.sections for block in section.blocks if block.kind is kind)
    return [parsed.text[block.start : block.end] for block in found]


def repacked(data: bytes, name: str, part: bytes) -> bytes:
    """An archive in which one part is another."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archives.zipped({**{info: archive.read(info) for info in archive.namelist()}, name: part})


# Nothing is lost


def test_no_word_of_a_real_pdf_is_lost(shared_data: Path) -> None:
    files = sorted((shared_data / "pdf").glob("*.pdf"))
    assert len(files) >= 15
    for file in files:
        if file.name in UNREADABLE:
            assert refusal(file.read_bytes(), file.name).code == UNREADABLE[file.name]
            continue
        parsed = parse(file.read_bytes(), file.name)
        document = pypdfium2.PdfDocument(file)
        pages = [page.get_textpage().get_text_bounded() for page in document]
        document.close()
        assert recall(parsed.text, "\n".join(pages)).share >= 0.99, file.name
        assert len(parsed.pages) == len(pages)
        assert not [warning for warning in parsed.warnings if "are not in its text" in warning], file.name


def test_no_word_of_a_real_book_is_lost(shared_data: Path) -> None:
    files = sorted((shared_data / "epub").glob("*.epub"))
    assert len(files) >= 8
    for file in files:
        parsed = parse(file.read_bytes(), file.name)
        with zipfile.ZipFile(file) as archive:
            pages = [
                archive.read(name).decode()
                for name in archive.namelist()
                if name.endswith("xhtml") and "nav" not in name
            ]
        markup = "\n".join(page.partition("<body")[2] for page in pages)
        words = recall(parsed.text, "\n".join(_bare(markup)))
        assert words.share >= 0.99, (file.name, words.missing)
        assert parsed.warnings == (), file.name


def _bare(markup: str) -> Iterator[str]:
    """What stands between tags, by the simplest means."""
    for piece in markup.split("<"):
        yield piece.rpartition(">")[2].replace("&nbsp;", " ").replace("&amp;", "&")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("handbook.html", (SAMPLES / "handbook.html").read_bytes()),
        ("untidy.htm", (SAMPLES / "untidy.htm").read_bytes()),
        ("handbook.docx", archives.handbook()),
        ("talk.pptx", archives.talk()),
        ("book.epub", archives.epub(["<h1>One</h1><p>First.</p>", "<nav><p>Second.</p></nav>"])),
    ],
)
def test_what_is_shown_is_there_and_what_is_not_shown_is_reported(name: str, data: bytes) -> None:
    parsed = parse(data, name)
    assert "unseen" not in parsed.text
    missing = [warning for warning in parsed.warnings if "are not in its text" in warning]
    hidden = {"handbook.html": "3 of", "handbook.docx": "1 of"}
    assert [warning[:4] for warning in missing] == ([hidden[name]] if name in hidden else [])


def test_missing_words_are_counted_each_time_and_the_first_few_named() -> None:
    lost = recall("one two", "one two two three four five six seven eight")
    assert lost.missing == ("two", "three", "four", "five", "six", "seven", "eight")
    assert lost.share == pytest.approx(2 / 9)
    assert lost.warnings == (
        "7 of 9 words that the file holds are not in its text, the first: two, three, four, five, six",
    )
    assert recall("caf\u00e9", "cafe\u0301").warnings == ()
    assert recall("", "").share == 1


# Web pages


def test_a_page_becomes_text_in_reading_order_below_its_headings() -> None:
    parsed = parse((SAMPLES / "handbook.html").read_bytes(), "handbook.html")
    top = "Gateway handbook"
    assert outline(parsed) == [
        ((), ["Edition of March", "- Overview\n- Limits"]),
        ((top,), ["The gateway keeps unsent readings for 10^6 seconds.\nThen it drops them^1."]),
        (
            (top, "Limits"),
            [
                "Deaths on board",
                DEATHS,
                "More on limits",
                "Queues hold at most 500 messages.",
                "1. Open the lid.\n2. Press the button:\n  - short press restarts\n  - long press resets",
                "Wiring diagram of port four",
            ],
        ),
        ((top, "Code"), ["if x < 3:\n    retry()", "It just works."]),
        (
            (top, "Code", "Arabic"),
            [
                "مرحبا بالعالم",
                "- MTBF\n- Mean time between failures",
                "1. Unless a hold is active.",
                "See also the release notes.",
                "Document GW-7, classified internal.",
            ],
        ),
    ]
    assert (parsed.title, parsed.author, parsed.language) == ("Gateway handbook & notes", "Ann Author", "en-GB")
    assert (parsed.encoding, parsed.media_type) == ("utf-8", "text/html")
    assert blocks(parsed, BlockKind.CODE) == ["if x < 3:\n    retry()"]


def test_an_untidy_page_is_read_like_a_browser_would() -> None:
    parsed = parse((SAMPLES / "untidy.htm").read_bytes(), "untidy.htm")
    assert parsed.encoding == "windows-1252"
    assert parsed.title == "Untidy page"
    assert "Café au lait costs 3 € a cup" in parsed.text
    assert "An unclosed bold word and both styles mixed © 2024" in parsed.text
    assert "41 | 293" in parsed.text
    assert "inner one | inner two" in parsed.text
    assert "After the list <not a tag> AT&T" in parsed.text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>a<b>b</b>c</p><p>d</p>", "abc\n\nd"),
        ("<p>one\n  two<br>three</p>", "one two\nthree"),
        ("<ul><li>one<br>two</ul>", "- one two"),
        ("<p>one<p>two<div>three</div>four", "one\n\ntwo\n\nthree\n\nfour"),
        ("<p>H<sub>2</sub>O and 10<sup>6</sup></p>", "H2O and 10^6"),
        ("<p>&#1;a&#x202E;b &#xD800; \x0bc</p>", "ab \ufffd c"),
        ("<ul><li><p>one</p><p>more</p><li>two</ul>", "- one\n  more\n- two"),
        ("<table><tr><td>1<td>2</tr><tr><td><td>4</table>", "1 | 2\n | 4"),
        ("<p>x</p><math><mi>a</mi><mo>=</mo><mn>10</mn><mn>6</mn></math>", "x\n\na = 10 6"),
        ("<p>a</p><script>if (a</p>) </script><p>b</p>", "a\n\nb"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("<p>a<!-- b --></p><![CDATA[c]]>", "a\n\nc"),
    ],
)
def test_markup_becomes_words(markup: str, text: str) -> None:
    assert parse(markup.encode(), "a.html").text.replace("\u202e", "") == text


def test_a_page_of_another_encoding_than_declared_is_refused() -> None:
    assert refusal("<meta charset=utf-8><p>Zürich".encode("latin-1"), "a.html").code == "bad_encoding"
    assert refusal(b"<meta charset=klingon><p>word", "a.html").code == "bad_encoding"


def test_a_page_without_words_is_refused() -> None:
    assert refusal(b"<html><body><script>words()</script><img src=x></body>", "a.html").code == "no_text"


# Tables


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"Sex,dead %,total n\nFemale,41,293"),
        ("a.csv", b"\xef\xbb\xbfSex;dead %;total n\r\nFemale;41;293\r\n"),
        ("a.tsv", b"Sex\tdead %\ttotal n\nFemale\t41\t293\n\n"),
        ("a.html", b"<table><tr><th>Sex<th>dead %<th>total n<tr><td>Female<td>41<td>293</table>"),
        ("a.docx", archives.docx(archives.table([["Sex", "dead %", "total n"], ["Female", "41", "293"]]))),
        ("a.pptx", archives.pptx([archives.slide_table([["Sex", "dead %", "total n"], ["Female", "41", "293"]])])),
    ],
)
def test_the_cells_of_a_table_stay_apart(name: str, data: bytes) -> None:
    """Trouble case O19: neighbouring cells became one number."""
    parsed = parse(data, name)
    assert blocks(parsed, BlockKind.TABLE) == ["\n".join(TABLE)]
    assert not [number for number in ("41293", "29341") if number in "".join(parsed.text.split(" "))]


def test_a_cell_of_several_lines_stays_in_its_row() -> None:
    parsed = parse(b'name,remark\nvalve,"opens at 3 bar,\nnot before"\npump,', "a.csv")
    assert parsed.text == "name | remark\nvalve | opens at 3 bar, not before\npump | "
    assert parsed.media_type == "text/csv"


def test_a_table_with_a_quotation_mark_left_open_is_refused() -> None:
    assert refusal(b'a,b\n"c,d\n', "a.csv").code == "malformed_file"


# Word


def test_a_word_document_keeps_its_order_and_everything_that_hangs_on_it() -> None:
    parsed = parse(archives.handbook(), "handbook.docx")
    assert outline(parsed) == [
        (("Gateway handbook",), []),
        (
            ("Limits",),
            [
                "The gateway keeps unsent readings for 10^6 seconds.",
                "It then drops them.[2]",
                "Sex | dead % | total n\nFemale | 41 | 293\nMale | 33.8 | 343",
            ],
        ),
        (
            ("Limits", "Steps"),
            [
                "- Open the lid.\n  - Press the button.\n- Wait.",
                "Kept inserted",
                "Seen",
                "Inside a control.",
                "Beside the box.",
                "Words in a box.",
            ],
        ),
        (("Annex",), ["مرحبا بالعالم"]),
        (("Annex", "Details"), ["The last words."]),
        ((), ["[2]Unless a hold is active."]),
        ((), ["Document GW-7"]),
        ((), ["Classified internal"]),
    ]
    assert (parsed.title, parsed.author, parsed.language) == ("The handbook", "Ann Author", "de-AT")
    assert parsed.encoding == "binary"


def test_comments_are_not_in_the_text_which_is_said() -> None:
    commented = archives.docx(archives.paragraph("Words."), parts={"comments": archives.paragraph("A remark.")})
    parsed = parse(commented, "a.docx")
    assert parsed.text == "Words."
    assert parsed.warnings == ("the comments in the margin are not in the text",)


# PowerPoint


def test_slides_are_pages_below_their_titles_in_the_order_of_the_show() -> None:
    parsed = parse(archives.talk(), "talk.pptx")
    assert outline(parsed) == [
        (("A talk about gateways",), ["By Ann"]),
        (("Limits",), ["Below the title.\nSecond line.", "Inside a group.", "Say that holds come first."]),
        (("Numbers",), ["\n".join(TABLE)]),
    ]
    assert [parsed.text[page.start : page.end].strip().partition("\n")[0] for page in parsed.pages] == [
        "A talk about gateways",
        "Limits",
        "Numbers",
    ]
    assert parsed.title == "The talk"


# Books


def test_chapters_stand_in_the_order_of_the_spine_each_under_its_own_headings() -> None:
    book = archives.epub(
        ["<h1>One</h1><p>First.</p><h2>Sub</h2><p>Below.</p>", "<p>Second.</p>", "<h2>Three</h2><p>Third.</p>"]
    )
    parsed = parse(book, "book.epub")
    assert outline(parsed) == [
        (("One",), ["First."]),
        (("One", "Sub"), ["Below."]),
        (("Untitled",), ["Second."]),
        (("Three",), ["Third."]),
    ]


def test_a_book_states_its_first_title_its_author_and_its_language() -> None:
    metadata = "<dc:title> First\n title</dc:title><dc:title>Second</dc:title><dc:creator>Ann</dc:creator><dc:language>he</dc:language>"
    parsed = parse(archives.epub(["<p>Words.</p>"], metadata=metadata), "book.epub")
    assert (parsed.title, parsed.author, parsed.language) == ("First title", "Ann", "he")


def test_a_book_with_locked_chapters_is_refused() -> None:
    locked = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
        '<enc:EncryptedData><enc:CipherData><enc:CipherReference URI="OPS/chapter1.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>'
    )
    book = archives.epub(["<p>Words.</p>"], more={"META-INF/encryption.xml": locked})
    assert refusal(book, "book.epub").code == "encrypted"


# PDF


def test_index_number_and_printed_label_of_a_page_are_three_things() -> None:
    """Trouble case O18: pages cited by position instead of by what is printed on them, or one off."""
    texts = ["Foreword.", "Contents.", "Warranty lasts 24 months.", "Repairs take 10 days."]
    parsed = parse(pdf(texts, labels="0 << /S /r >> 2 << /S /D >>"), "manual.pdf")
    assert [page.label for page in parsed.pages] == ["i", "ii", "1", "2"]
    assert [parsed.text[page.start : page.end] for page in parsed.pages] == texts
    start = parsed.text.index("Warranty")
    (page,) = (page for page in parsed.pages if page.start <= start < page.end)
    assert (page.index, page.number, page.label) == (2, 3, "1")


def test_labels_are_text_and_may_be_repeated() -> None:
    parsed = parse(pdf(["First page.", "Second page."], labels="0 << /P (S-12) >>"), "a.pdf")
    assert [page.label for page in parsed.pages] == ["S-12", "S-12"]
    assert [page.label for page in parse(pdf(["First page."]), "a.pdf").pages] == [None]


def test_bookmarks_are_headings_of_what_stands_below_the_place_they_lead_to() -> None:
    file = pdf(
        ["Before it.\n1 Start\nWords.", "More words.\nNext\nLast words."],
        outline=[("Beginning", 0, 695), ("End", 1, 695)],
    )
    parsed = parse(file, "a.pdf")
    assert outline(parsed) == [
        ((), ["Before it."]),
        (("Beginning",), ["1 Start\nWords.", "More words."]),
        (("End",), ["Next\nLast words."]),
    ]


def test_the_longest_real_pdf_has_its_chapters_and_labels(shared_data: Path) -> None:
    parsed = parse((shared_data / "pdf" / "009-GeoTopo-komprimiert.pdf").read_bytes(), "GeoTopo.pdf")
    assert (parsed.title, parsed.author) == ("Geometrie und Topologie", "Martin Thoma")
    assert [page.label for page in parsed.pages[:5]] == ["i", "ii", "iii", "1", "2"] or parsed.pages[0].label == "i"
    for section in parsed.sections[1:4]:
        assert parsed.text[section.start :].startswith(section.heading[-1])


def test_right_to_left_text_is_in_logical_order(shared_data: Path) -> None:
    parsed = parse((shared_data / "pdf" / "015-habibi.pdf").read_bytes(), "habibi.pdf")
    assert "\u062d\u064e\u064a\u0628\u064a\u0628" in parsed.text


def test_empty_pages_are_named_and_the_rest_is_read() -> None:
    """Trouble case O21: a file is not ready only because something of it was read."""
    parsed = parse(pdf(["", "Real text."]), "mixed.pdf")
    assert parsed.text.strip() == "Real text."
    assert parsed.warnings == (
        "page 1 has next to no text: if it is a picture, run OCR on the file and ingest it again",
    )
    many = parse(pdf(["", "Real text.", *[""] * 12]), "mixed.pdf")
    assert many.warnings[0].startswith("13 pages (1, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...) have next to no text")


def test_a_file_of_pictures_is_refused_and_ocr_is_named() -> None:
    """Trouble case O21: scanned pages were reported as ready."""
    fault = refusal(pdf(["", "", ""]), "scan.pdf")
    assert fault.code == "no_text"
    assert "3 pages" in fault.message
    assert "OCR" in (fault.remedy or "")
    assert refusal(pdf(["p. 1", "p. 2"]), "scan.pdf").code == "no_text"
    assert parse(pdf(["p. 1", "p. 2"]), "a.pdf", ParsingLimits(min_chars_per_page=1)).warnings == ()


def test_what_is_written_upon_a_pdf_in_annotations_and_form_fields_is_reported() -> None:
    """Words in them may forbid what the text allows, and a reader sees them."""
    written = [
        "/Subtype /FreeText /DA (/F1 12 Tf) /Contents (Void after\\nMay 2025)",
        "/Subtype /Text /Contents (Ask Ann.)",
        "/Subtype /Widget /FT /Tx /T (serial) /V (S-12)",
        "/Subtype /Widget /FT /Btn /T (tick) /V /Yes",
        "/Subtype /Widget /FT /Tx /T (empty)",
        "/Subtype /Link /Contents (Some words)",
        "/Subtype /Highlight /Contents ( - )",
    ]
    parsed = parse(pdf(["Some words.", "More words."], annotations=written), "a.pdf")
    assert parsed.text == "Some words.\n\nMore words."
    assert parsed.warnings == (
        "3 annotations and form values are not read into the text, the first words: Void after May 2025 Ask ...",
    )
    one = parse(pdf(["Some words."], annotations=["/Subtype /FreeText /Contents (Void)"]), "a.pdf")
    assert one.warnings == ("1 annotation or form value is not read into the text, the first words: Void",)
    assert parse(pdf(["Some words."], annotations=written[3:]), "a.pdf").warnings == ()


def test_the_notes_in_a_real_pdf_are_reported(shared_data: Path) -> None:
    parsed = parse((shared_data / "pdf" / "024-annotated_pdf.pdf").read_bytes(), "annotated.pdf")
    assert (
        "3 annotations and form values are not read into the text, the first words: This is a text annotation. ..."
        in parsed.warnings
    )


def test_a_pdf_states_its_language() -> None:
    assert parse(pdf(["Ein paar Worte."], more="/Lang (de-DE)"), "a.pdf").language == "de-DE"


def test_a_pdf_of_too_many_pages_is_refused() -> None:
    fault = refusal(pdf(["Some words."] * 4), "long.pdf", ParsingLimits(max_pages=3))
    assert fault.code == "too_large"
    assert "max_pages" in (fault.remedy or "")


# Refusals


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.epub"])
def test_an_archive_that_would_unpack_to_too_much_is_refused_before_it_is_unpacked(name: str) -> None:
    bomb = archives.zipped({"word/document.xml": b"<x>" + b" " * 30_000_000})
    fault = refusal(bomb, name)
    assert fault.code == "zip_bomb"
    assert "30000003" in fault.message
    assert refusal(archives.handbook(), name, ParsingLimits(max_bytes=500)).code == "zip_bomb"
    assert refusal(archives.zipped({str(at): b"" for at in range(20_001)}), name).code == "zip_bomb"


def test_a_part_that_is_larger_than_its_directory_says_is_refused() -> None:
    honest = archives.docx(archives.paragraph("Words. " * 1_000))
    with zipfile.ZipFile(io.BytesIO(honest)) as archive:
        size = archive.getinfo("word/document.xml").file_size
    lying = honest.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert refusal(lying, "a.docx").code == "malformed_file"


@pytest.mark.parametrize("name", ["a.docx", "a.pptx"])
def test_an_office_file_with_a_password_is_refused(name: str) -> None:
    assert refusal(bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 504, name).code == "encrypted"


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.epub", "a.pdf"])
@pytest.mark.parametrize(
    "data", [b"", b"plain text", b"PK\x03\x04", archives.zipped({"a": "b"}), b"%PDF-1.7\n", pdf(["Some words."])[:300]]
)
def test_what_is_not_of_the_format_is_refused(name: str, data: bytes) -> None:
    assert refusal(data, name).code == "malformed_file"


def test_a_file_under_the_name_of_another_format_is_refused() -> None:
    assert refusal(archives.talk(), "talk.docx").code == "malformed_file"
    assert refusal(archives.handbook(), "handbook.pptx").code == "malformed_file"
    assert refusal(archives.handbook(), "handbook.epub").code == "malformed_file"
    assert refusal(pdf(["Some words."]), "a.docx").code == "malformed_file"


@pytest.mark.parametrize(
    "part",
    [
        b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>',
        b"<x>" * 100_000,
        b"<open>",
        b"\xff\xfe",
        b'<?xml version="1.0" encoding="unheard-of"?><x/>',
    ],
)
def test_damaged_or_hostile_xml_is_refused(part: bytes) -> None:
    assert refusal(repacked(archives.handbook(), "word/document.xml", part), "a.docx").code == "malformed_file"


def test_elements_nested_too_deep_are_refused() -> None:
    deep = archives.docx("<w:sdt>" * 5_000 + archives.paragraph("Words.") + "</w:sdt>" * 5_000)
    assert refusal(deep, "a.docx").code == "malformed_file"


# Language


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("The gateway stops sending telemetry after a reconnect, and nobody notices it for a while. ", "en"),
        ("Das Gerät sendet nach der Wiederverbindung keine Telemetrie mehr, und niemand merkt es. ", "de"),
        ("توقف البوابة إرسال القياس عن بعد بعد إعادة الاتصال ولا يلاحظ ذلك أحد. ", "ar"),
    ],
)
def test_the_language_is_detected_where_there_is_text_enough(sentence: str, language: str) -> None:
    assert detected(sentence * 4) == language
    assert detected(sentence) is None
    page = f"<p>{sentence * 4}</p>"
    assert LanguageDetecting(MarkupParser()).parse(page.encode(), name="a.html").language == language
    stated = f"<html lang=fr>{page}"
    assert LanguageDetecting(MarkupParser()).parse(stated.encode(), name="a.html").language == "fr"


# Through ingest


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "toulmin.toml").write_text("[parsing]\nmax_bytes = 100_000\n")
    with Workspace.open(tmp_path) as workspace:
        yield workspace


def ingest(desk: Workspace, folder: Path) -> dict[str, FileReport]:
    options = stated_metadata({"readers": ("public",)})
    entries = desk.entries([folder], options=options)
    return {report.name: report for report in desk.ingest(entry for entry in entries if isinstance(entry, Entry))}


def test_a_batch_with_files_that_cannot_be_read_ingests_the_others(desk: Workspace, tmp_path: Path) -> None:
    """Trouble case O21: zero.txt, blank.txt, scan.pdf and mixed.pdf in one folder."""
    folder = tmp_path / "files"
    folder.mkdir()
    files = {
        "zero.txt": b"",
        "blank.txt": "  \n\t \u200b\ufeff".encode(),
        "scan.pdf": pdf(["", "", ""]),
        "mixed.pdf": pdf(["", "Real text."]),
        "handbook.docx": archives.handbook(),
        "large.html": b"<p>" + b"word " * 30_000,
        "broken.pptx": b"PK\x03\x04",
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    reports = ingest(desk, folder)
    codes = {name: report.fault.code for name, report in reports.items() if report.fault}
    assert codes == {
        "zero.txt": "no_text",
        "blank.txt": "no_text",
        "scan.pdf": "no_text",
        "large.html": "too_large",
        "broken.pptx": "malformed_file",
    }
    assert reports["mixed.pdf"].outcome is reports["handbook.docx"].outcome is FileOutcome.INGESTED
    assert any(warning.startswith("page 1 has next to no text") for warning in reports["mixed.pdf"].warnings)
    assert [item.id.document for item in desk.documents()] == ["handbook.docx", "mixed.pdf"]
    again = ingest(desk, folder)
    assert again["mixed.pdf"].outcome is again["handbook.docx"].outcome is FileOutcome.UNCHANGED


def test_words_of_a_page_are_never_taken_for_its_metadata(desk: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "page.html").write_text("<pre>---\ntoulmin:\n  id: OTHER\n  readers: [public]\n---\nWords.</pre>")
    entries = desk.entries([folder])
    (report,) = desk.ingest(entry for entry in entries if isinstance(entry, Entry))
    assert report.revision is not None
    assert report.revision.document == "page.html"
    assert any(warning.startswith("no readers") for warning in report.warnings)


def test_the_limits_are_settings_with_a_least_value(tmp_path: Path) -> None:
    (tmp_path / "toulmin.toml").write_text("[parsing]\nmax_pages = 3\ntimeout_s = 1.5\n")
    assert load(tmp_path).parsing == ParsingLimits(max_pages=3, timeout_s=1.5)
    for line in ("max_pages = 0", "memory_mb = 100", "timeout_s = 0", "max_size = 1"):
        (tmp_path / "toulmin.toml").write_text(f"[parsing]\n{line}\n")
        with pytest.raises(InputError) as refused:
            load(tmp_path)
        assert f"parsing.{line.partition(' ')[0]}" in str(refused.value)


def test_the_pages_of_a_pdf_are_kept_with_it(desk: Workspace, tmp_path: Path) -> None:
    """Trouble case O18: index, number and label reach whoever reads the text."""
    folder = tmp_path / "files"
    folder.mkdir()
    texts = ["Foreword.", "Contents.", "Warranty lasts 24 months.", "Repairs take 10 days."]
    (folder / "manual.pdf").write_bytes(pdf(texts, labels="0 << /S /r >> 2 << /S /D >>"))
    ingest(desk, folder)
    (standing,) = desk.documents()
    revision = desk.revision(standing.key)
    assert revision is not None
    start = revision.text.index("Warranty")
    (page,) = revision.place(start, start + 8).pages
    assert page == Page(index=2, start=start, end=start + len(texts[2]), label="1")
    assert revision.parser.startswith("toulmin-pdf 1 (kreuzberg 4.")
    assert (revision.encoding, revision.media_type) == ("binary", "application/pdf")
