// A small machine with registers runs a program that looks for primes.
package main

import "fmt"

type machine struct {
	registers [8]int
	memory    []byte
	steps     int
}

func (m *machine) get(register int) int {
	return m.registers[register&7]
}

func (m *machine) set(register, value int) {
	m.registers[register&7] = value
}

func (m *machine) add(register, value int) {
	m.set(register, m.get(register)+value)
}

func (m *machine) load(register int) byte {
	return m.memory[m.get(register)]
}

func (m *machine) store(register int, value byte) {
	m.memory[m.get(register)] = value
}

func (m *machine) less(a, b int) bool {
	return m.get(a) < m.get(b)
}

func (m *machine) sieve(limit int) int {
	m.memory = make([]byte, limit)
	m.set(0, 2)
	m.set(1, limit)
	for m.less(0, 1) {
		if m.load(0) == 0 {
			m.add(3, 1)
			m.set(2, m.get(0)+m.get(0))
			for m.less(2, 1) {
				m.store(2, 1)
				m.add(2, m.get(0))
				m.steps++
			}
		}
		m.add(0, 1)
	}
	return m.get(3)
}

func main() {
	total, steps := 0, 0
	for round := 0; round < 60; round++ {
		var m machine
		total += m.sieve(200000 + round)
		steps += m.steps
	}
	fmt.Println(total, steps)
}
