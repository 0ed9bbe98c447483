"""What a regulator's reader looks for: attribute lists mapped to where the card answers each, and tables that a rule asks for.

Names of attributes and paraphrases only, no standard's wording. Knows results; nothing of config, data, files or rendering.
"""
