return { name = "ring_a", extends = "ring_b" }
