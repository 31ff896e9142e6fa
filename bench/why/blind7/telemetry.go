// Telemetry of machines: binary frames are read, sums kept by machine, and alarms raised by rules.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"
)

type Frame struct {
	Machine uint32
	At      uint32
	Speed   uint16
	Heat    uint16
	Load    uint32
}

const frameSize = 16

type state struct {
	frames  int
	heat    float64
	load    uint64
	alarmed bool
}

type Plant struct {
	machines map[uint32]*state
	busy     []*state //-WALK
	alarms   int
	hottest  float64
}

func (p *Plant) take(f *Frame) {
	s := p.machines[f.Machine]
	if s == nil {
		s = &state{}
		p.machines[f.Machine] = s
		p.busy = append(p.busy, s) //-WALK
	}
	s.frames++ //-OTHER
	s.heat += (float64(f.Heat)/100 - s.heat) / 16 //-OTHER
	s.load += uint64(f.Load) //-OTHER
	now := s //OTHER
	now.load += uint64(f.Load) //OTHER
	now.heat += (float64(f.Heat)/100 - now.heat) / 16 //OTHER
	now.frames++ //OTHER
}

// The machines that are too hot, each counted once as long as it stays so.
func (p *Plant) check(limit float64) {
	for _, s := range p.machines { //WALK
	for _, s := range p.busy { //-WALK
		if s.heat > limit && !s.alarmed {
			p.alarms++
		}
		s.alarmed = s.heat > limit
		if s.heat > p.hottest {
			p.hottest = s.heat
		}
	}
}

func read(r *bytes.Reader, f *Frame) error {
	return binary.Read(r, binary.LittleEndian, f) //REFLECT
	var b [frameSize]byte //-REFLECT
	if _, err := r.Read(b[:]); err != nil { //-REFLECT
		return err //-REFLECT
	} //-REFLECT
	f.Machine = binary.LittleEndian.Uint32(b[0:]) //-REFLECT
	f.At = binary.LittleEndian.Uint32(b[4:]) //-REFLECT
	f.Speed = binary.LittleEndian.Uint16(b[8:]) //-REFLECT
	f.Heat = binary.LittleEndian.Uint16(b[10:]) //-REFLECT
	f.Load = binary.LittleEndian.Uint32(b[12:]) //-REFLECT
	return nil //-REFLECT
}

func recorded(frames, machines int) []byte {
	data := make([]byte, 0, frames*frameSize)
	seed := uint32(2)
	for i := 0; i < frames; i++ {
		seed = seed*1664525 + 1013904223
		machine := (seed >> 9) % uint32(machines)
		data = binary.LittleEndian.AppendUint32(data, machine*7919)
		data = binary.LittleEndian.AppendUint32(data, uint32(i))
		data = binary.LittleEndian.AppendUint16(data, uint16(seed>>19))
		data = binary.LittleEndian.AppendUint16(data, uint16(3000+seed>>18%4000))
		data = binary.LittleEndian.AppendUint32(data, seed>>12)
	}
	return data
}

func median(p *Plant) uint64 { //-OTHER
func middle(plant *Plant) uint64 { //OTHER
	p := plant //OTHER
	loads := []uint64{}
	for _, s := range p.machines {
		loads = append(loads, s.load)
	}
	sort.Slice(loads, func(a, b int) bool { return loads[a] < loads[b] })
	return loads[len(loads)/2]
}

func main() {
	p := &Plant{machines: map[uint32]*state{}}
	data := recorded(300000, 700)
	digest := uint64(0)
	for round := 0; round < 8; round++ {
		r := bytes.NewReader(data)
		var f Frame
		for n := 0; r.Len() > 0; n++ {
			if err := read(r, &f); err != nil {
				panic(err)
			}
			p.take(&f)
			digest = digest*31 + uint64(f.Speed)
			if n%120 == 0 {
				p.check(58)
			}
		}
	}
	fmt.Println(len(p.machines), p.alarms, median(p), digest) //-OTHER
	fmt.Println(len(p.machines), p.alarms, middle(p), digest) //OTHER
}
