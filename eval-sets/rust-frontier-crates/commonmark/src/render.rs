//! The HTML of a tree of blocks.

use crate::definitions::Definitions;
use crate::entity::unescape;
use crate::html::{escape, Output};
use crate::inline::inlines;
use crate::tree::{Kind, Tree};

/// The HTML of a document.
pub fn document(tree: &Tree, definitions: &Definitions) -> String {
    let mut renderer = Renderer {
        tree,
        definitions,
        output: Output::default(),
    };
    renderer.block(0);
    renderer.output.text
}

struct Renderer<'a> {
    tree: &'a Tree,
    definitions: &'a Definitions,
    output: Output,
}

impl Renderer<'_> {
    fn block(&mut self, index: usize) {
        let node = &self.tree.nodes[index];
        match node.kind {
            Kind::Document => self.children(index),
            Kind::Quote => {
                self.output.line("<blockquote>");
                self.children(index);
                self.output.line("</blockquote>");
            }
            Kind::List(marker) => self.list(index, marker.start),
            Kind::Item(_) => {}
            Kind::Paragraph if node.text.is_empty() => {}
            Kind::Paragraph => {
                let content = self.prose(index);
                self.output.line(&format!("<p>{content}</p>"));
            }
            Kind::Heading(level) => {
                let content = self.prose(index);
                self.output.line(&format!("<h{level}>{content}</h{level}>"));
            }
            Kind::Code(None) => {
                let code = escape(&node.text);
                self.output.line(&format!("<pre><code>{code}</code></pre>"));
            }
            Kind::Code(Some(_)) => {
                let (info, code) = node.text.split_once('\n').unwrap_or((&node.text, ""));
                let info = unescape(info.trim_matches([' ', '\t']));
                let class = match info.split([' ', '\t']).next() {
                    None | Some("") => String::new(),
                    Some(language) => format!(" class=\"language-{}\"", escape(language)),
                };
                let code = escape(code);
                self.output
                    .line(&format!("<pre><code{class}>{code}</code></pre>"));
            }
            Kind::Html(_) => self
                .output
                .line(node.text.strip_suffix('\n').unwrap_or_default()),
            Kind::Break => self.output.line("<hr />"),
        }
    }

    fn children(&mut self, index: usize) {
        for child in &self.tree.nodes[index].children {
            self.block(*child);
        }
    }

    fn list(&mut self, index: usize, start: Option<u32>) {
        let (open, close) = match start {
            None => ("<ul>".to_string(), "</ul>"),
            Some(1) => ("<ol>".to_string(), "</ol>"),
            Some(start) => (format!("<ol start=\"{start}\">"), "</ol>"),
        };
        self.output.line(&open);
        let is_tight = self.tree.is_tight(index);
        for item in &self.tree.nodes[index].children {
            self.output.text.push_str("<li>");
            for child in &self.tree.nodes[*item].children {
                if is_tight && self.tree.nodes[*child].kind == Kind::Paragraph {
                    let content = self.prose(*child);
                    self.output.inside_line(&content);
                } else {
                    self.block(*child);
                }
            }
            self.output.text.push_str("</li>\n");
        }
        self.output.line(close);
    }

    /// The inlines of a paragraph or a heading.
    fn prose(&self, index: usize) -> String {
        let text = self.tree.nodes[index].text.trim_matches([' ', '\t', '\n']);
        inlines(text, self.definitions)
    }
}
