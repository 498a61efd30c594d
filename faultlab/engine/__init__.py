"""The mock tool server without a transport: submit a call, step its script, run what is due."""
