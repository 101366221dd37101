from typer import testing

from agent.ctl.main import app


def test_a_runner_is_given_the_parser_of_before() -> None:
    made = vars(testing)["_get_command"]

    assert made(app) is made(app)
    assert testing.CliRunner().invoke(app, ["--version"]).exit_code == 0
