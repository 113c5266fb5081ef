"""Answers of CSFCube's datasheet, taken from the paper on how it was made.

Mysore et al. (2021), in our words. Questions that it does not answer here stay open, and a release
of the imported collection names them.
"""

from __future__ import annotations

ANSWERS = {
    "purpose": "To evaluate systems that find papers similar to a query paper in one facet: "
    "background, method or result.",
    "representation": "The query papers were chosen from 100 papers: 20 drawn at random from each "
    "of five periods between 1995 and 2019. Surveys were left out. The others were rated by how "
    "well they fit, and 34 were chosen so that years, paper types and facets are about even.",
    "recruitment": "Four rounds of annotation and refinement of the guideline came first. The "
    "hired annotators were trained until their Spearman's ρ with an adjudicated training set was "
    "between .5 and .7. A third person adjudicated all disagreements.",
    "pay": "22.50 USD for the two hired annotators, who worked about 25 hours in three weeks.",
    "preprocessing": "The facet labels of the sentences were predicted, and annotators were told "
    "to correct them in their heads.",
    "recommended_uses": "Comparing rankings of scientific papers by one facet, with the folds and "
    "measures of the paper.",
    "rights": "The release of CSFCube is under CC BY-NC 4.0.",
    "language": "English.",
    "annotators": "Two of the main authors and two hired annotators.",
}
