"""The tool that the framework tests give to their agents: an order, and what it ordered."""

from faultlab import Lab


class Till:
    """Counts orders. `place_order` is an ordinary tool function; nothing in it guards against a second call."""

    def __init__(self) -> None:
        self.orders: list[str] = []

    def place_order(self, item: str) -> str:
        """Order one item.

        Args:
            item: What to order.
        """
        self.orders.append(item)
        return f"ordered {item}"


def always_lost(symptom: str = "timeout", twin: str = "committed", **more: object) -> Lab:
    """A lab that loses the receipt of each of the first nine orders."""
    lab = Lab(twin=twin)
    for number in range(1, 10):
        lab.fault("lost_receipt", tool="place_order", occurrence=number, symptom=symptom, required=number == 1, **more)
    return lab
