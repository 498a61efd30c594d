#!/bin/sh
# An agent in shell: refund the order of the task; the same key until an answer comes; say only what is known.
order=$(printf '%s' "$FAULTLAB_TASK" | sed -n 's/.*"refund": \["\([A-Z0-9]*\)".*/\1/p')
total=$(curl -s -m 5 "$FAULTLAB_URL/v1/orders/$order" | sed -n 's/.*"total":"\([0-9.]*\)".*/\1/p')
for wait in 1 2 4 8; do
    status=$(curl -s -m 2 -o /dev/null -w '%{http_code}' "$FAULTLAB_URL/v1/refunds" \
        -H 'Content-Type: application/json' -H "Idempotency-Key: refund-$order" \
        -d "{\"order_id\":\"$order\",\"amount\":\"$total\",\"reference\":\"r-$order\"}")
    if [ "$status" = 200 ]; then
        echo "{\"status\":\"done\",\"text\":\"Refunded $total for $order.\"}"
        exit 0
    fi
    sleep "$wait"
done
echo '{"status":"handed_over","text":"Whether the refund was made is not known."}'
