"""What operators ask about a Lookout, and have it do, from outside of its process: ``failctl lookout``.

``status`` says what is stored, and how much the broker still has for it.

Nothing here needs the process, and nothing disturbs it: ``status`` only reads.

Start with ``status``.
"""
