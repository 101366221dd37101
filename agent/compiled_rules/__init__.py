"""The rules that ship, compiled when the wheel is built, so that no process reads and checks their YAML again.

``file`` reads and writes the one file, ``config/error-categories.msgpack``: the rules of ``error-categories.yaml`` with
all packs joined, and each pack by itself, for the files of one's own that list packs. ``form`` turns the values of
``agent.core.classify.rules`` into what MessagePack has, and back. ``key`` is a hash of the YAML files, of the code that
compiles them and of the form of the values.

A file with another key, or a damaged one, is not used, and ``file.read`` says why; ``agent.rule_files``, which also
makes the file (``python -m agent.rule_files``), then reads the YAML. The file is written by the build of the wheel and
by ``make setup``, and is not committed.
"""
