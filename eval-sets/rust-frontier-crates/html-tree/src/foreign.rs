//! The tables of foreign content.

/// The names of SVG elements that are not in lower case.
const SVG_TAGS: &[&str] = &[
    "altGlyph",
    "altGlyphDef",
    "altGlyphItem",
    "animateColor",
    "animateMotion",
    "animateTransform",
    "clipPath",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feImage",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
    "foreignObject",
    "glyphRef",
    "linearGradient",
    "radialGradient",
    "textPath",
];

/// The names of SVG attributes that are not in lower case.
const SVG_ATTRIBUTES: &[&str] = &[
    "attributeName",
    "attributeType",
    "baseFrequency",
    "baseProfile",
    "calcMode",
    "clipPathUnits",
    "diffuseConstant",
    "edgeMode",
    "filterUnits",
    "glyphRef",
    "gradientTransform",
    "gradientUnits",
    "kernelMatrix",
    "kernelUnitLength",
    "keyPoints",
    "keySplines",
    "keyTimes",
    "lengthAdjust",
    "limitingConeAngle",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "maskContentUnits",
    "maskUnits",
    "numOctaves",
    "pathLength",
    "patternContentUnits",
    "patternTransform",
    "patternUnits",
    "pointsAtX",
    "pointsAtY",
    "pointsAtZ",
    "preserveAlpha",
    "preserveAspectRatio",
    "primitiveUnits",
    "refX",
    "refY",
    "repeatCount",
    "repeatDur",
    "requiredExtensions",
    "requiredFeatures",
    "specularConstant",
    "specularExponent",
    "spreadMethod",
    "startOffset",
    "stdDeviation",
    "stitchTiles",
    "surfaceScale",
    "systemLanguage",
    "tableValues",
    "targetX",
    "targetY",
    "textLength",
    "viewBox",
    "viewTarget",
    "xChannelSelector",
    "yChannelSelector",
    "zoomAndPan",
];

/// The names of attributes that are in a namespace.
const FOREIGN_ATTRIBUTES: &[&str] = &[
    "xlink:actuate",
    "xlink:arcrole",
    "xlink:href",
    "xlink:role",
    "xlink:show",
    "xlink:title",
    "xlink:type",
    "xml:lang",
    "xml:space",
    "xmlns:xlink",
];

/// The name of an SVG element, from its name in lower case.
pub fn svg_tag(name: &str) -> String {
    adjusted(SVG_TAGS, name)
}

/// The name of an SVG attribute, from its name in lower case.
pub fn svg_attribute(name: &str) -> String {
    adjusted(SVG_ATTRIBUTES, name)
}

/// The name of a MathML attribute, from its name in lower case.
pub fn math_attribute(name: &str) -> String {
    adjusted(&["definitionURL"], name)
}

/// The name of an attribute of a foreign element as the output has it: with a space for the colon if it is in a namespace.
pub fn foreign_attribute(name: &str) -> String {
    if FOREIGN_ATTRIBUTES.contains(&name) {
        name.replacen(':', " ", 1)
    } else {
        name.to_string()
    }
}

fn adjusted(table: &[&str], name: &str) -> String {
    let found = table.iter().find(|known| known.eq_ignore_ascii_case(name));
    found.map_or(name, |known| *known).to_string()
}
