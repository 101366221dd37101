import pytest

from bench.report.held import at_least, at_most
from bench.report.run import Measured, NotRun, Outcome
from bench.report.table import read, table

OUTCOMES: dict[str, Outcome] = {
    "path": Measured((at_least("ours beside naive", 17.64, target=17.0),)),
    "watch": Measured(
        (
            at_most("memory", 250.0, target=200.0, unit="MB"),
            at_most("work in one go", 12.0, target=100.0, unit="ms"),
        )
    ),
    "get": NotRun("no | server:\nnot prepared"),
}


def test_each_figure_is_a_row() -> None:
    assert table(OUTCOMES, floor=0.85).splitlines() == [
        "| program | figure                             | value      | target      | share       |",
        "|---------|------------------------------------|------------|-------------|-------------|",
        "| path    | ours beside naive                  | 17.6 times | at least 17 | 1.04        |",
        "| watch   | memory                             | 250 MB     | at most 200 | 0.80 MISSED |",
        "| watch   | work in one go                     | 12 ms      | at most 100 | 8.33        |",
        "| get     | not run: no / server: not prepared | -          | -           | -           |",
    ]


def test_a_kept_table_is_read_whatever_stands_around_it() -> None:
    kept = read(f"==> bench\n{table(OUTCOMES, floor=1.0)}\n<== bench: done in 3 s | so\n")

    assert kept == {("path", "ours beside naive"): 17.6, ("watch", "memory"): 250, ("watch", "work in one go"): 12}
    assert read(table(OUTCOMES, floor=1.0, kept=kept)) == kept


def test_a_text_without_figures_is_no_table() -> None:
    with pytest.raises(ValueError, match="no table of figures"):
        read("| program | figure | value | target | share |\n")


def test_a_figure_stands_next_to_its_former_value() -> None:
    kept = {("path", "ours beside naive"): 8.82, ("path", "gone"): 3.0, ("get", "slowest question"): 5.0}
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in table(OUTCOMES, floor=1.0, kept=kept).split("\n")
    ]

    assert rows[0][-2:] == ["before", "now / before"]
    assert [row[-2:] for row in rows[2:] if row[0] == "path"] == [["8.82", "2.00"], ["3", "-"]]
    assert [row[-2:] for row in rows[2:] if row[0] == "watch"] == [["-", "-"], ["-", "-"]]
    assert [row[1] for row in rows[2:] if row[0] == "path"] == ["ours beside naive", "gone"]
