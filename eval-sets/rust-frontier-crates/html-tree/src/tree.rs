//! The tree of a document, and the format of the tree tests of html5lib.

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId(usize);

/// The namespace of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    Html,
    Svg,
    Math,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    Document,
    Doctype {
        name: String,
        public: Option<String>,
        system: Option<String>,
    },
    Element {
        namespace: Namespace,
        name: String,
        /// The names of attributes in a namespace have a space for the colon.
        attributes: Vec<(String, String)>,
    },
    Text(String),
    Comment(String),
}

#[derive(Debug, Clone)]
struct Node {
    data: Data,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
}

/// A tree of nodes; some may be outside of the document.
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// An empty document.
    pub fn new() -> Tree {
        let mut tree = Tree { nodes: Vec::new() };
        tree.create(Data::Document);
        tree
    }

    /// The document.
    pub fn document(&self) -> NodeId {
        NodeId(0)
    }

    /// A new node without a parent.
    pub fn create(&mut self, data: Data) -> NodeId {
        self.nodes.push(Node {
            data,
            parent: None,
            children: Vec::new(),
        });
        NodeId(self.nodes.len() - 1)
    }

    pub fn data(&self, id: NodeId) -> &Data {
        &self.nodes[id.0].data
    }

    pub fn data_mut(&mut self, id: NodeId) -> &mut Data {
        &mut self.nodes[id.0].data
    }

    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.nodes[id.0].parent
    }

    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id.0].children
    }

    /// Takes a node out of its parent.
    pub fn remove(&mut self, id: NodeId) {
        if let Some(parent) = self.nodes[id.0].parent.take() {
            self.nodes[parent.0].children.retain(|child| *child != id);
        }
    }

    /// Inserts a node, which leaves its parent, in front of a child, or after all others.
    pub fn insert(&mut self, parent: NodeId, id: NodeId, before: Option<NodeId>) {
        self.remove(id);
        let children = &self.nodes[parent.0].children;
        let at = before
            .and_then(|before| children.iter().position(|child| *child == before))
            .unwrap_or(children.len());
        self.nodes[parent.0].children.insert(at, id);
        self.nodes[id.0].parent = Some(parent);
    }

    /// Inserts a character in front of a child, or after all others; it joins the text in front of that place.
    pub fn insert_char(&mut self, parent: NodeId, c: char, before: Option<NodeId>) {
        let children = &self.nodes[parent.0].children;
        let at = before
            .and_then(|before| children.iter().position(|child| *child == before))
            .unwrap_or(children.len());
        if let Some(previous) = at.checked_sub(1).map(|at| children[at]) {
            if let Data::Text(text) = &mut self.nodes[previous.0].data {
                text.push(c);
                return;
            }
        }
        let text = self.create(Data::Text(c.to_string()));
        self.insert(parent, text, before);
    }

    /// The document in the format of the tree tests of html5lib.
    pub fn dump(&self) -> String {
        let mut output = String::new();
        let mut pending: Vec<(NodeId, usize)> = Vec::new();
        pending.extend(
            self.children(self.document())
                .iter()
                .rev()
                .map(|child| (*child, 0)),
        );
        while let Some((id, depth)) = pending.pop() {
            self.dump_node(id, &"  ".repeat(depth), &mut output);
            let children = self.children(id).iter().rev();
            pending.extend(children.map(|child| (*child, depth + 1)));
        }
        output
    }

    fn dump_node(&self, id: NodeId, indent: &str, output: &mut String) {
        output.push_str(&format!("| {indent}"));
        match self.data(id) {
            Data::Document => {}
            Data::Doctype {
                name,
                public: None,
                system: None,
            } => output.push_str(&format!("<!DOCTYPE {name}>")),
            Data::Doctype {
                name,
                public,
                system,
            } => {
                let public = public.as_deref().unwrap_or_default();
                let system = system.as_deref().unwrap_or_default();
                output.push_str(&format!("<!DOCTYPE {name} \"{public}\" \"{system}\">"));
            }
            Data::Element {
                namespace,
                name,
                attributes,
            } => {
                let prefix = match namespace {
                    Namespace::Html => "",
                    Namespace::Svg => "svg ",
                    Namespace::Math => "math ",
                };
                output.push_str(&format!("<{prefix}{name}>"));
                let mut attributes: Vec<&(String, String)> = attributes.iter().collect();
                attributes.sort();
                for (name, value) in attributes {
                    output.push_str(&format!("\n| {indent}  {name}=\"{value}\""));
                }
            }
            Data::Text(text) => output.push_str(&format!("\"{text}\"")),
            Data::Comment(text) => output.push_str(&format!("<!-- {text} -->")),
        }
        output.push('\n');
    }
}

impl Default for Tree {
    fn default() -> Tree {
        Tree::new()
    }
}
