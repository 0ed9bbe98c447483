"""What makes one PDF both PDF/A-3a and PDF/UA-1: an identifier in its metadata, described in the way that PDF/A asks for.

Works on WeasyPrint's unwritten PDF objects; knows nothing of what the document says.
"""

from __future__ import annotations

from hashlib import md5
from typing import Any

END_OF_RDF = b"</rdf:RDF>"

# A property outside PDF/A's own list needs an extension schema (ISO 19005-3, 6.6.2.3), so the identifier of PDF/UA-1
# (ISO 14289-1, clause 5) comes with its description.
UA_METADATA = b"""\
<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Part of ISO 14289 that the document conforms to</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>
"""


def add_ua_identifier(pdf: Any) -> None:
    """Write the PDF/UA-1 identifier and its extension schema into the XMP metadata of a ``pydyf.PDF``."""
    number = int(bytes(pdf.catalog["Metadata"]).split()[0])
    metadata = pdf.objects[number]
    parts = [part if isinstance(part, bytes) else part.encode() for part in metadata.stream]
    before, end, after = b"".join(parts).partition(END_OF_RDF)
    metadata.stream = [before + UA_METADATA + end + after]


def name_kind(pdf: Any, content: str, kind: str) -> None:
    """State the media type of the attachment that holds ``content``: a guess by its name differs between machines."""
    checksum = f"<{md5(content.encode(), usedforsecurity=False).hexdigest()}>"
    for thing in pdf.objects:
        extra = getattr(thing, "extra", {})
        if extra.get("Type") == "/EmbeddedFile" and extra["Params"]["CheckSum"] == checksum:
            extra["Subtype"] = "/" + kind.replace("/", "#2f")
