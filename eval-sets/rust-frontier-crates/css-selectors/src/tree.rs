//! Documents: trees of elements and text.

use std::collections::HashMap;

/// The namespace of the attributes whose prefix is `xml`.
pub const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// An element of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(usize);

/// A child of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Child {
    Element(ElementId),
    Text(String),
    Comment(String),
}

/// An attribute; the declarations of namespaces are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    pub namespace: Option<String>,
    pub name: String,
    pub value: String,
}

/// What an element consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    pub namespace: Option<String>,
    /// The local name.
    pub name: String,
    pub attributes: Vec<Attribute>,
    pub parent: Option<ElementId>,
    pub children: Vec<Child>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The elements in document order; the first is the root.
    elements: Vec<Element>,
}

/// A text is not a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotDocument;

impl Document {
    /// Reads XML without a prolog, processing instructions, CDATA sections and references.
    pub fn parse(xml: &str) -> Result<Document, NotDocument> {
        let mut reader = Reader {
            rest: xml.trim(),
            document: Document {
                elements: Vec::new(),
            },
        };
        let scope = HashMap::from([("xml".to_string(), XML_NAMESPACE.to_string())]);
        reader.element(None, &scope)?;
        if reader.rest.is_empty() {
            Ok(reader.document)
        } else {
            Err(NotDocument)
        }
    }

    /// The root element.
    pub fn root(&self) -> ElementId {
        ElementId(0)
    }

    /// All elements, in document order.
    pub fn elements(&self) -> impl Iterator<Item = ElementId> {
        (0..self.elements.len()).map(ElementId)
    }

    /// What an element consists of.
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0]
    }

    /// The child elements of an element, in order.
    pub fn children(&self, id: ElementId) -> impl DoubleEndedIterator<Item = ElementId> + '_ {
        self.element(id)
            .children
            .iter()
            .filter_map(|child| match child {
                Child::Element(child) => Some(*child),
                _ => None,
            })
    }
}

type Scope = HashMap<String, String>;

struct Reader<'a> {
    rest: &'a str,
    document: Document,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, text: &str) -> bool {
        let stripped = self.rest.strip_prefix(text);
        self.rest = stripped.unwrap_or(self.rest);
        stripped.is_some()
    }

    fn expect(&mut self, text: &str) -> Result<(), NotDocument> {
        if self.eat(text) {
            Ok(())
        } else {
            Err(NotDocument)
        }
    }

    /// Reads up to a text, which is consumed as well.
    fn until(&mut self, end: &str) -> Result<&'a str, NotDocument> {
        let (before, after) = self.rest.split_once(end).ok_or(NotDocument)?;
        self.rest = after;
        Ok(before)
    }

    fn name(&mut self) -> Result<&'a str, NotDocument> {
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || "=/><\"'".contains(c))
            .filter(|end| *end > 0)
            .ok_or(NotDocument)?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(name)
    }

    fn element(
        &mut self,
        parent: Option<ElementId>,
        scope: &Scope,
    ) -> Result<ElementId, NotDocument> {
        self.expect("<")?;
        let name = self.name()?;
        let mut scope = scope.clone();
        let mut attributes = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with(['>', '/']) {
                break;
            }
            let name = self.name()?;
            self.expect("=\"")?;
            let value = self.until("\"")?;
            if name == "xmlns" {
                scope.insert(String::new(), value.to_string());
            } else if let Some(prefix) = name.strip_prefix("xmlns:") {
                scope.insert(prefix.to_string(), value.to_string());
            } else {
                attributes.push((name, value));
            }
        }
        let id = ElementId(self.document.elements.len());
        let (namespace, local) = resolve(name, &scope, true)?;
        let mut element = Element {
            namespace,
            name: local,
            attributes: Vec::new(),
            parent,
            children: Vec::new(),
        };
        for (name, value) in attributes {
            let (namespace, name) = resolve(name, &scope, false)?;
            let value = value.to_string();
            element.attributes.push(Attribute {
                namespace,
                name,
                value,
            });
        }
        self.document.elements.push(element);
        if self.eat("/>") {
            return Ok(id);
        }
        self.expect(">")?;
        loop {
            let child = if self.eat("</") {
                self.expect(name)?;
                self.expect(">")?;
                return Ok(id);
            } else if self.eat("<!--") {
                Child::Comment(self.until("-->")?.to_string())
            } else if self.rest.starts_with('<') {
                Child::Element(self.element(Some(id), &scope)?)
            } else {
                let end = self.rest.find('<').ok_or(NotDocument)?;
                let (text, rest) = self.rest.split_at(end);
                self.rest = rest;
                Child::Text(text.to_string())
            };
            self.document.elements[id.0].children.push(child);
        }
    }
}

/// The namespace and the local name of a name.
fn resolve(
    name: &str,
    scope: &Scope,
    is_element: bool,
) -> Result<(Option<String>, String), NotDocument> {
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    let namespace = match scope.get(prefix) {
        _ if prefix.is_empty() && !is_element => None,
        Some(namespace) => Some(namespace.clone()).filter(|namespace| !namespace.is_empty()),
        None if prefix.is_empty() => None,
        None => return Err(NotDocument),
    };
    Ok((namespace, local.to_string()))
}
