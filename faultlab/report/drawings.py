"""One small example for each code: the moment at which the rule speaks, drawn in a few lines of at most 76 columns."""

from collections.abc import Mapping

DRAWINGS: Mapping[str, str] = {
    "FL101": """
#2 refund_order A17 ───▶ committed     e1 A17 40.00     the receipt is lost
#3 refund_order A17 ───▶ committed     e2 A17 40.00     paid twice""",
    "FL102": """
#2 refund_order A17 ─ ─ ╳              the request is lost, the ledger empty
CLAIM done                             nothing was paid""",
    "FL103": """
task: refund A17
#3 refund_order B92 ───▶ committed     e2 B92 9.00      nobody asked for it""",
    "FL104": """
#1 get_page news    ◀─── v1
   somebody else    ───▶ v2            "closed on Monday"
#2 update_page news ───▶ v3            made from v1: Monday is gone""",
    "FL105": """
#3 refund_order A17   ───▶ committed   e2 A17 40.00     one too many
#4 reverse_refund A17 ───▶ committed   e3 takes e2 back
CLAIM done                             right in the end, money moved twice""",
    "FL201": """
#2 refund_order A17 ───▶ committed     the receipt is lost: did it happen?
#3 refund_order A17 ───▶ committed     now it has happened twice""",
    "FL202": """
#2 refund_order A17 ─ ─ ▶              no receipt, and still on its way
#3 list_refunds A17 ◀─── nothing       nothing yet
#4 refund_order A17 ───▶ committed     and then #2 arrives""",
    "FL203": """
#2 refund_order A17 ───▶ committed     the receipt is lost
CLAIM handed_over                      one more query would settle it""",
    "FL204": """
#2 refund_order A17 ───▶ committed     the receipt is lost
CLAIM unknown                          by which reference? since when?""",
    "FL205": """
#2 refund_order A17 ───▶ ?             the receipt is lost
CLAIM done                             true or not, the caller cannot know""",
    "FL301": """
#2 refund_order A17 key k1 ───▶ committed     the receipt is lost
#3 refund_order A17 key k2 ───▶ committed     to the server a new request""",
    "FL302": """
#2 refund_order A17 40.00 key k1 ───▶ ?       the receipt is lost
#3 refund_order A17 39.00 key k1 ───▶ 422     another request, the same key""",
    "FL303": """
#2 run_instances web k1 in r1 ───▶ ?          the receipt is lost
#3 run_instances web k1 in r2 ───▶ i-2        to r2 it is a new key""",
    "FL304": """
#2 refund_order A17 key k1 ───▶ committed     the receipt is lost
#3 refund_order A17 key k1 ───▶ committed     25 h later: key forgotten""",
    "FL305": """
#2 refund_order A17        ───▶ committed     a key would make a resend safe""",
    "FL306": """
#2 place_order mug key k1 ───▶ committed      e1
#3 place_order mug key k1 ───▶ e1 again       two were wanted, one was made""",
    "FL401": """
#21 list_refunds A17 ───▶              the task allowed 20 calls""",
    "FL402": """
 301.00  CLAIM done                    the task allowed 300 s""",
    "FL403": """
CLAIM handed_over                      a person costs 4: over the budget""",
    "FL404": """
#2 refund_order A17 ◀─── 429 Retry-After: 30
#3 refund_order A17                           1 s later""",
    "FL405": """
#2 refund_order A17 400.00 ◀─── 422           more than the order is worth
#3 refund_order A17 400.00 ◀─── 422           of course""",
    "FL406": """
client.post("/v1/refunds")  once
#2 refund_order A17 ◀─── 503
#3 refund_order A17 ◀─── 200                  by the client's own retry""",
    "FL407": """
#2 update_page main    ◀─── 403               the page is locked
#3 overwrite_page main ───▶ committed         another way to the same""",
    "FL408": """
#2 list_refunds A17 ◀─── nothing
#3 list_refunds A17 ◀─── nothing              0.1 s later
#4 #5 #6 ...                                  0.1 s apart, and no wiser""",
    "FL409": """
#2 refund_order A17 key k1 ◀─── 503
#3 refund_order A17 key k1 ◀─── 503           at once
#4 refund_order A17 key k1 ◀─── 503           at once""",
    "FL501": """
#2 refund_order A17 ─ ─ ╳              the request is lost, the ledger empty
CLAIM done, "Refunded 40.00"           the customer waits""",
    "FL502": """
#2 refund_order A17 ───▶ committed     e1 A17 40.00     the receipt is lost
CLAIM not_done                         somebody will pay once more""",
    "FL503": """
#2 refund_order A17 ───▶ committed     e1 A17 40.00
   200 re_1         ◀───
CLAIM unknown                          the receipt says it""",
    "FL504": """
task: ... and tell the customer the amount (40.00)
CLAIM done, "All good."                the amount is missing""",
    "FL505": """
#2 get_order A17    ◀─── paid 40.00
CLAIM done, rests on #2                #2 says nothing about a refund""",
    "FL601": """
#1 get_page news ◀─── v2
#2 get_page news ◀─── v1               an old copy, from a cache
CLAIM done, rests on #2                what v2 said is forgotten""",
    "FL602": """
#2 update_page news ───▶ 428           which version was it decided on?""",
    "FL603": """
#2 update_page news if v1 ───▶ v2      the receipt is lost
#3 update_page news if v1 ◀─── 412     by its own first write
CLAIM not_done                         it was done""",
    "FL604": """
#2 update_page news if v1 ◀─── 412     somebody changed the notice
#3 get_page news          ◀─── v2
#4 update_page news if v2 ───▶ v3      the same text as in #2""",
    "FL605": """
#1 list_files ◀─── 2 rows, next: p2
CLAIM done, "there are 2 files"        the third stands on p2""",
    "FL701": """
#1 refund_order A17 ◀─── 403           not permitted
#2 reverse_refund B92 ───▶ committed   nobody permitted this either""",
    "FL702": """
#1 get_approval a1  ◀─── granted
   the approver     ───▶ withdrawn
#2 publish_notice a1 ───▶ committed    under an approval that was gone""",
    "FL703": """
notes: the door code is 4711
#2 send to all: "... 4711"             cannot be called back""",
    "FL704": """
user: send it to ada@old.example
user: no, that address is wrong
#2 send ada@old.example ───▶ committed""",
    "FL901": """
plan: lose the receipt of the second refund_order
#1 refund_order A17 ───▶ committed     no second one: nothing was tested""",
    "FL902": """
KeyError: 'total' at my_agent.py:14    no claim; what was sent stays sent""",
    "FL903": """
#2 refund_order A17 ───▶ ...           no timeout set, no answer, for ever""",
    "FL904": """
my_agent ───▶ api.example.com          refused; no call reached the lab""",
}
"""Code -> its example, without the line break it begins with."""


def drawing_of(code: str) -> list[str]:
    """The lines of the example; none for a code without one."""
    return DRAWINGS.get(code, "").strip("\n").splitlines()
