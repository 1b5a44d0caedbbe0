return { name = "ring_b", extends = "ring_a" }
