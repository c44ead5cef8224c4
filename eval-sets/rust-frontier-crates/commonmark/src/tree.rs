//! The tree of the blocks of a document.

/// The marker of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    /// The bullet, or the delimiter after a number.
    pub sign: u8,
    /// The number of an ordered list.
    pub start: Option<u32>,
    /// The indentation of the marker.
    pub offset: usize,
    /// The columns from the start of the marker to the content.
    pub padding: usize,
}

/// The opening of a fenced code block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    pub sign: u8,
    pub length: usize,
    /// The indentation of the fence.
    pub offset: usize,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Document,
    Quote,
    List(Marker),
    Item(Marker),
    /// A paragraph. Nothing is rendered for one without text.
    Paragraph,
    /// A heading of a level from 1 to 6.
    Heading(usize),
    /// A code block, fenced or indented. The first line of a fenced block is its info string.
    Code(Option<Fence>),
    /// An HTML block of one of the seven kinds of start condition.
    Html(u8),
    Break,
}

/// A block.
#[derive(Debug)]
pub struct Node {
    pub kind: Kind,
    /// The indices of the children in the tree.
    pub children: Vec<usize>,
    /// The lines of a leaf, each with a `\n` after it.
    pub text: String,
    /// The numbers of the first and the last line.
    pub lines: (usize, usize),
}

/// The blocks of a document; the first is the document.
#[derive(Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
}

impl Tree {
    /// Whether a list is tight: no blank line parts its items, or the blocks in an item.
    pub fn is_tight(&self, list: usize) -> bool {
        let has_gap = |children: &[usize]| {
            let mut pairs = children.windows(2);
            pairs.any(|pair| self.nodes[pair[0]].lines.1 + 1 != self.nodes[pair[1]].lines.0)
        };
        let items = &self.nodes[list].children;
        !has_gap(items)
            && !items
                .iter()
                .any(|item| has_gap(&self.nodes[*item].children))
    }
}
