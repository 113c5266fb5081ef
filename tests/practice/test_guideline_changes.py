from practice.guideline_changes import Piece, guideline_changes, word_changes


def version(instructions: str = "Read.", *definitions: str, **parts: str) -> dict:
    definitions = definitions or ("Unrelated.", "Similar.")
    grades = [
        {"grade": grade, "name": f"name {grade}", "definition": text}
        for grade, text in enumerate(definitions)
    ]
    grades[0].update(parts)
    return {"instructions": instructions, "grades": grades}


def test_only_texts_that_differ_are_listed_in_the_order_of_the_page():
    before = version("Read.", "Unrelated.", "Similar.")
    after = version("Read all.", "Unrelated.", "Very similar.", example="Such as this.")

    assert [change.heading for change in guideline_changes(before, after)] == [
        "Instructions",
        "Grade 0: example",
        "Grade 1: definition",
    ]
    assert guideline_changes(before, before) == []


def test_a_grade_that_one_version_lacks_is_a_change():
    changes = guideline_changes(version("", "a", "b"), version("", "a", "b", "c"))

    assert [(change.heading, change.pieces) for change in changes] == [
        ("Grade 2: name", [Piece("added", "name 2")]),
        ("Grade 2: definition", [Piece("added", "c")]),
    ]


def test_changed_words_are_marked_and_both_texts_can_be_put_together_again():
    before, after = "The same method, for the same task.", "The same method or a variant of it."

    pieces = word_changes(before, after)

    assert pieces[0] == Piece("same", "The same ")
    assert "".join(piece.text for piece in pieces if piece.change != "added") == before
    assert "".join(piece.text for piece in pieces if piece.change != "removed") == after


def test_the_middle_of_a_long_part_that_stayed_the_same_is_left_out():
    words = [f"w{number}" for number in range(60)]
    before, after = " ".join([*words, "old"]), " ".join([*words, "new"])

    (change,) = guideline_changes(version(before), version(after))

    kept = change.pieces[0].text.split()
    assert kept == [*words[:15], "…", *words[-15:]]
    assert [piece.text for piece in change.pieces[1:]] == ["old", "new"]
