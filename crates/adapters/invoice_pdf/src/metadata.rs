//! The declaration of the embedded invoice: Factur-X's properties in the XMP metadata, with their PDF/A extension
//! schema. The PDF library cannot write them, so they are added as an incremental update (ISO 32000-1, 7.5.6): the
//! metadata object is written again after the end.

/// What the electronic invoice is called inside.
pub const FILE_NAME: &str = "factur-x.xml";

const DECLARATION: &str = r##"<rdf:Description rdf:about="" xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"><fx:DocumentType>INVOICE</fx:DocumentType><fx:DocumentFileName>factur-x.xml</fx:DocumentFileName><fx:Version>1.0</fx:Version><fx:ConformanceLevel>EN 16931</fx:ConformanceLevel></rdf:Description><rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"><pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema><pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaProperty:name>DocumentFileName</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>The name of the embedded XML document</pdfaProperty:description></rdf:li><rdf:li rdf:parseType="Resource"><pdfaProperty:name>DocumentType</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>The type of the hybrid document</pdfaProperty:description></rdf:li><rdf:li rdf:parseType="Resource"><pdfaProperty:name>Version</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>The version of the standard</pdfaProperty:description></rdf:li><rdf:li rdf:parseType="Resource"><pdfaProperty:name>ConformanceLevel</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>The conformance level of the embedded XML document</pdfaProperty:description></rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"##;

/// The document with the declaration.
pub fn declared(mut pdf: Vec<u8>) -> Result<Vec<u8>, String> {
    let (object, packet) = metadata(&pdf).ok_or("the metadata cannot be found")?;
    let end = packet.rfind("</rdf:RDF>").ok_or("the metadata has no end")?;
    let packet = format!("{}{DECLARATION}{}", &packet[..end], &packet[end..]);
    let (trailer, before) = trailer(&pdf).ok_or("the trailer cannot be found")?;
    if !pdf.ends_with(b"\n") {
        pdf.push(b'\n');
    }
    let at = pdf.len();
    let head = format!(
        "{object} 0 obj\n<< /Type /Metadata /Subtype /XML /Length {} >>\nstream\n",
        packet.len()
    );
    pdf.extend_from_slice(head.as_bytes());
    pdf.extend_from_slice(packet.as_bytes());
    pdf.extend_from_slice(b"\nendstream\nendobj\n");
    let table = pdf.len();
    let tail = format!(
        "xref\n0 1\n0000000000 65535 f \n{object} 1\n{at:010} 00000 n \ntrailer\n<< {trailer} /Prev {before} \
         >>\nstartxref\n{table}\n%%EOF"
    );
    pdf.extend_from_slice(tail.as_bytes());
    Ok(pdf)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn find_last(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).rposition(|window| window == wanted)
}

/// The number and content of the metadata object.
fn metadata(pdf: &[u8]) -> Option<(u32, String)> {
    let begin = find(pdf, b"<?xpacket begin")?;
    let stop = begin + find(&pdf[begin..], b"endstream")?;
    let packet = String::from_utf8(pdf[begin..stop].to_vec()).ok()?.trim_end().to_owned();
    let object = find_last(&pdf[..begin], b" 0 obj")?;
    let digits = pdf[..object].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&pdf[object - digits..object]).ok()?.parse().ok()?;
    Some((number, packet))
}

/// The trailer, and the offset of the cross-reference table.
fn trailer(pdf: &[u8]) -> Option<(String, usize)> {
    let start = find_last(pdf, b"startxref")?;
    let rest = std::str::from_utf8(&pdf[start + b"startxref".len()..]).ok()?;
    let before = rest.split_whitespace().next()?.parse().ok()?;
    let begin = find_last(&pdf[..start], b"trailer")?;
    let text = &pdf[begin + b"trailer".len()..start];
    let (open, close) = (find(text, b"<<")?, find_last(text, b">>")?);
    // The identifiers are binary strings; they are carried over as they are written.
    let inner: String = text[open + 2..close].iter().map(|byte| char::from(*byte)).collect();
    inner.is_ascii().then(|| (inner.trim().to_owned(), before))
}
