"""What every command of ``failctl`` shares: exit codes, safe output, input by name, and addresses.

``exits`` has the exit codes and ``end``, which runs a command and turns its errors into one line on standard error.
``terminal`` makes hostile text harmless (``visible``), cuts lines to the width of the terminal, and shows progress.
``columns`` prints whatever stands in columns, line by line.
``text_input`` opens files and ``-`` for standard input. ``addresses.find_address`` finds the broker or the store: an
option wins over the environment, and the environment over the file of the scheduler's settings.
"""
