"""Every rule, by code; a literal list in order of the codes."""

from collections.abc import Mapping

from faultlab.rules.fl101_duplicate_effect import RULE as FL101
from faultlab.rules.fl102_missing_effect import RULE as FL102
from faultlab.rules.fl103_effect_outside_the_task import RULE as FL103
from faultlab.rules.fl104_lost_update import RULE as FL104
from faultlab.rules.fl105_compensated import RULE as FL105
from faultlab.rules.fl201_resent_while_unknown import RULE as FL201
from faultlab.rules.fl202_negative_read_as_proof import RULE as FL202
from faultlab.rules.fl203_gave_up import RULE as FL203
from faultlab.rules.fl204_hand_over_incomplete import RULE as FL204
from faultlab.rules.fl205_claimed_while_unknown import RULE as FL205
from faultlab.rules.fl301_key_changed import RULE as FL301
from faultlab.rules.fl302_parameters_changed import RULE as FL302
from faultlab.rules.fl303_scope_changed import RULE as FL303
from faultlab.rules.fl304_window_over import RULE as FL304
from faultlab.rules.fl305_no_key import RULE as FL305
from faultlab.rules.fl306_one_key_for_two import RULE as FL306
from faultlab.rules.fl401_call_budget import RULE as FL401
from faultlab.rules.fl402_time_budget import RULE as FL402
from faultlab.rules.fl403_cost_budget import RULE as FL403
from faultlab.rules.fl404_retry_after_ignored import RULE as FL404
from faultlab.rules.fl405_refusal_repeated import RULE as FL405
from faultlab.rules.fl406_hidden_retries import RULE as FL406
from faultlab.rules.fl407_went_round import RULE as FL407
from faultlab.rules.fl408_polled_too_fast import RULE as FL408
from faultlab.rules.fl409_overload_hammered import RULE as FL409
from faultlab.rules.fl501_success_claimed_wrongly import RULE as FL501
from faultlab.rules.fl502_failure_claimed_wrongly import RULE as FL502
from faultlab.rules.fl503_unknown_though_known import RULE as FL503
from faultlab.rules.fl504_must_say import RULE as FL504
from faultlab.rules.fl505_no_evidence import RULE as FL505
from faultlab.rules.fl601_stale_page_won import RULE as FL601
from faultlab.rules.fl602_no_precondition import RULE as FL602
from faultlab.rules.fl603_own_write_as_conflict import RULE as FL603
from faultlab.rules.fl604_stale_decision import RULE as FL604
from faultlab.rules.fl605_partial_list import RULE as FL605
from faultlab.rules.fl701_unauthorised_act import RULE as FL701
from faultlab.rules.fl702_stale_approval import RULE as FL702
from faultlab.rules.fl703_secret_disclosed import RULE as FL703
from faultlab.rules.fl704_retracted_fact import RULE as FL704
from faultlab.rules.fl901_fault_did_not_fire import RULE as FL901
from faultlab.rules.fl902_agent_crashed import RULE as FL902
from faultlab.rules.fl903_agent_hung import RULE as FL903
from faultlab.rules.fl904_nothing_exercised import RULE as FL904
from faultlab.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    FL101,
    FL102,
    FL103,
    FL104,
    FL105,
    FL201,
    FL202,
    FL203,
    FL204,
    FL205,
    FL301,
    FL302,
    FL303,
    FL304,
    FL305,
    FL306,
    FL401,
    FL402,
    FL403,
    FL404,
    FL405,
    FL406,
    FL407,
    FL408,
    FL409,
    FL501,
    FL502,
    FL503,
    FL504,
    FL505,
    FL601,
    FL602,
    FL603,
    FL604,
    FL605,
    FL701,
    FL702,
    FL703,
    FL704,
    FL901,
    FL902,
    FL903,
    FL904,
)

CATALOG: Mapping[str, Rule] = {rule.code: rule for rule in RULES}
