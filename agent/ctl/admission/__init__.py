"""``failctl admission``: what people do to install the admission webhook; the agent has no rights to do it.

``certificate`` makes an authority and a certificate (``certificate.py``), and prints what has to be applied.
``check`` (``check.py``) reads back what the API server made of ``deploy/admission.yaml``, because one that is too old
drops fields without a word. ``configuration`` says how it should be, ``trust`` whether the certificate fits.
"""
