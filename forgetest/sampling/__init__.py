"""From a case to a completion: the plan, the prompt, whom to ask and at what price."""
