-- Each request under a key of its own. `done` prints one line of JSON: requests, seconds, errors, latencies in us.
local number, thread_number = 0, 0
local run

function setup(thread)
  thread:set("thread_number", thread_number)
  thread_number = thread_number + 1
end

function init(args)
  run = args[1] or "k"
  wrk.method = "POST"
  wrk.body = '{"customer": "C5", "item": "mug", "quantity": 1}'
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  number = number + 1
  wrk.headers["Idempotency-Key"] = run .. "-" .. thread_number .. "-" .. number
  return wrk.format()
end

function done(summary, latency, requests)
  local e = summary.errors
  print(string.format('{"requests": %d, "us": %d, "errors": %d, "p50_us": %d, "p99_us": %d}',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
