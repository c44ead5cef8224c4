"""From a completion to code: which part of a reply is the Rust that the case asks for."""

from forgetest.extract.choose import ExtractionRule
from forgetest.extract.extraction import Extraction, Extractor, NoCodeReason, extract
from forgetest.extract.wants import Wants, wants

__all__ = ["Extraction", "ExtractionRule", "Extractor", "NoCodeReason", "Wants", "extract", "wants"]
