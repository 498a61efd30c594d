"""The codes of the rules, which a scenario may name; `rules/catalog.py` has the rules themselves."""

CODES = (
    *("FL101", "FL102", "FL103", "FL104", "FL105"),
    *("FL201", "FL202", "FL203", "FL204", "FL205"),
    *("FL301", "FL302", "FL303", "FL304", "FL305", "FL306"),
    *("FL401", "FL402", "FL403", "FL404", "FL405", "FL406", "FL407", "FL408", "FL409"),
    *("FL501", "FL502", "FL503", "FL504", "FL505"),
    *("FL601", "FL602", "FL603", "FL604", "FL605"),
    *("FL701", "FL702", "FL703", "FL704"),
    *("FL901", "FL902", "FL903", "FL904"),
)
VETOES = ("FL101", "FL103", "FL104", "FL701", "FL702", "FL703", "FL704")
