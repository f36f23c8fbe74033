"""Small books, Word documents and presentations, built from their parts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_R = f'xmlns:r="{_OFFICE}"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title><dc:creator>Ann Author</dc:creator>'
    "<dc:language>de-AT</dc:language></cp:coreProperties>"
)
_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of the parts, the same bytes each time."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name), part, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def relations(targets: Sequence[tuple[str, str]]) -> str:
    """A relationship part: `rId1`, `rId2`, ... by kind and target."""
    entries = (
        f'<Relationship Id="rId{at}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_RELATIONS}">{"".join(entries)}</Relationships>'


# Word


def run(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(words)}</w:t></w:r>'


def paragraph(content: str, *, style: str = "", depth: int | None = None) -> str:
    """A paragraph of runs, or of words; `depth` makes it an item of a list."""
    runs = content if content.startswith("<") else run(content)
    numbering = "" if depth is None else f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>'
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{numbering}</w:pPr>{runs}</w:p>"


def table(rows: Sequence[Sequence[str]]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def text_box(words: str) -> str:
    """A run with a text box, in both forms in which Word writes it."""
    box = f"<w:txbxContent>{paragraph(words)}</w:txbxContent>"
    choice = f'<mc:Choice Requires="wps"><w:drawing>{box}</w:drawing></mc:Choice>'
    return f"<w:r><mc:AlternateContent>{choice}<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"


def docx(body: str, *, title: str = "", parts: Mapping[str, str] | None = None) -> bytes:
    """A Word document; `parts` are notes, headers and the like by kind (`footnotes`, `header1`, ...)."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{style}"><w:name w:val="{name}"/>{more}</w:style>'
        for style, name, more in (
            ("Title", "Title", ""),
            ("Berschrift1", "heading 1", ""),
            ("Berschrift2", "heading 2", ""),
            ("Own", "Chapter", '<w:basedOn w:val="Berschrift1"/>'),
            ("Deep", "Deep", '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'),
        )
    )
    beside = dict(parts or {})
    main = [("styles", "styles.xml"), *((kind.rstrip("0123456789"), f"{kind}.xml") for kind in beside)]
    return zipped(
        {
            "_rels/.rels": relations([("officeDocument", "word/document.xml")]),
            "word/document.xml": f"<w:document {_W} {_MC}><w:body>{body}<w:sectPr/></w:body></w:document>",
            "word/_rels/document.xml.rels": relations(main),
            "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
            **{
                f"word/{kind}.xml": f"<w:{kind.rstrip('0123456789')} {_W}>{part}</w:{kind.rstrip('0123456789')}>"
                for kind, part in beside.items()
            },
            "docProps/core.xml": _CORE.format(title=escape(title)),
        }
    )


def handbook() -> bytes:
    """A Word document with a bit of everything."""
    raised = '<w:vertAlign w:val="superscript"/>'
    body = (
        paragraph("Gateway handbook", style="Title")
        + paragraph("Limits", style="Berschrift1")
        + paragraph(
            run("The gateway keeps un") + run("sent readings for 10", "<w:b/>") + run("6", raised) + run(" seconds.")
        )
        + paragraph(run("It then drops them.") + '<w:r><w:footnoteReference w:id="2"/></w:r>')
        + table([["Sex", "dead %", "total n"], ["Female", "41", "293"], ["Male", "33.8", "343"]])
        + paragraph("Steps", style="Berschrift2")
        + paragraph("Open the lid.", depth=0)
        + paragraph("Press the button.", depth=1)
        + paragraph("Wait.", depth=0)
        + paragraph(
            run("Kept ")
            + f"<w:ins>{run('inserted')}</w:ins>"
            + "<w:del><w:r><w:delText>deletedword</w:delText></w:r></w:del>"
        )
        + paragraph(run("Seen") + run("vanishedword", "<w:vanish/>"))
        + f"<w:sdt><w:sdtContent>{paragraph('Inside a control.')}</w:sdtContent></w:sdt>"
        + paragraph(run("Beside the box.") + text_box("Words in a box."))
        + paragraph("Annex", style="Own")
        + paragraph("مرحبا بالعالم")
        + paragraph("Details", style="Deep")
        + paragraph("The last words.")
    )
    return docx(
        body,
        title="The handbook",
        parts={
            "footnotes": f'<w:footnote w:id="2">{paragraph("<w:r><w:footnoteRef/></w:r>" + run("Unless a hold is active."))}</w:footnote>',
            "header1": paragraph("Document GW-7"),
            "footer1": paragraph("Classified internal"),
        },
    )


# PowerPoint


def shape(*lines: str, kind: str = "") -> str:
    """A shape with a line a paragraph; `kind` is that of its placeholder."""
    placeholder = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else "<p:nvPr/>"
    paragraphs = "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in lines)
    return f"<p:sp><p:nvSpPr>{placeholder}</p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"


def slide_table(rows: Sequence[Sequence[str]]) -> str:
    cells = (
        "".join(f"<a:tc><a:txBody><a:p><a:r><a:t>{cell}</a:t></a:r></a:p></a:txBody></a:tc>" for cell in row)
        for row in rows
    )
    grid = "".join(f"<a:tr>{row}</a:tr>" for row in cells)
    return (
        f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{grid}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    )


_NUMBER = (
    '<p:sp><p:nvSpPr><p:nvPr><p:ph type="sldNum"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:fld type="slidenum"><a:t>77</a:t></a:fld></a:p>'
    "</p:txBody></p:sp>"
)


def pptx(slides: Sequence[str], *, notes: Mapping[int, str] | None = None) -> bytes:
    """A presentation; the files of its slides are named in the opposite order. `notes` are speaker's notes by index of the slide."""
    notes = notes or {}
    files = [f"slide{len(slides) - at}.xml" for at in range(len(slides))]
    order = "".join(f'<p:sldId id="{256 + at}" r:id="rId{at}"/>' for at in range(1, len(slides) + 1))
    parts: dict[str, str | bytes] = {
        "_rels/.rels": relations([("officeDocument", "ppt/presentation.xml")]),
        "docProps/core.xml": _CORE.format(title="The talk"),
        "ppt/presentation.xml": f"<p:presentation {_P} {_R}><p:sldIdLst>{order}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations([("slide", f"slides/{file}") for file in files]),
    }
    for at, (file, shapes) in enumerate(zip(files, slides, strict=True)):
        parts[f"ppt/slides/{file}"] = f"<p:sld {_P} {_A}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
        if at in notes:
            parts[f"ppt/slides/_rels/{file}.rels"] = relations([("notesSlide", f"../notesSlides/notes{at}.xml")])
            noted = shape(notes[at], kind="body") + _NUMBER
            parts[f"ppt/notesSlides/notes{at}.xml"] = (
                f"<p:notes {_P} {_A}><p:cSld><p:spTree>{noted}</p:spTree></p:cSld></p:notes>"
            )
    return zipped(parts)


def talk() -> bytes:
    """A presentation with a bit of everything."""
    group = f"<p:grpSp>{shape('Inside a group.')}</p:grpSp>"
    return pptx(
        [
            shape("A talk about gateways", kind="ctrTitle") + shape("By Ann", kind="subTitle"),
            shape("Below the title.", "Second line.") + shape("Limits", kind="title") + group,
            shape("Numbers", kind="title") + slide_table([["Sex", "dead %", "total n"], ["Female", "41", "293"]]),
        ],
        notes={1: "Say that holds come first."},
    )


# Books


def epub(
    chapters: Sequence[str], *, metadata: str = "<dc:title>A book</dc:title>", more: Mapping[str, str] | None = None
) -> bytes:
    """A book of XHTML chapters in a spine; the chapters' files are named in the opposite order."""
    files = [f"chapter{len(chapters) - at}.xhtml" for at in range(len(chapters))]
    items = "".join(f'<item id="{file}" href="{file}" media-type="application/xhtml+xml"/>' for file in files)
    spine = "".join(f'<itemref idref="{file}"/>' for file in files)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"{metadata}</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    pages = {f"OPS/{file}": page(body) for file, body in zip(files, chapters, strict=True)}
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": _CONTAINER,
            "OPS/book.opf": package,
            **pages,
            **(more or {}),
        }
    )


def page(body: str) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Untitled</title></head><body>{body}</body></html>'
