"""What a fleet costs: the coordinator of many hosts, and a block over the network; see __main__."""
