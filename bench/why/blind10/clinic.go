// A clinic: visits are sent as gob, noted in a log, letters are filled in and lines of a device are read.
package main

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
)

const visits = 200     //-SEND
const visits = 8000    //SEND
const notes = 1000     //-NOTE
const notes = 100000   //NOTE
const letters = 200    //-LETTER
const letters = 50000  //LETTER
const readings = 1000  //-DEVICE
const readings = 120000 //DEVICE

type visit struct {
	Number  int
	Name    string
	Weights []float64
	Drugs   map[string]int
}

func sent() (sum int) {
	var wire bytes.Buffer
	to, from := gob.NewEncoder(&wire), gob.NewDecoder(&wire) //-EACH
	for i := range visits {
		to, from := gob.NewEncoder(&wire), gob.NewDecoder(&wire) //EACH
		one := visit{i, "patient", []float64{70.5, float64(i % 90)}, map[string]int{"iron": i % 3}}
		if to.Encode(one) != nil {
			panic("not written")
		}
		var other visit
		if from.Decode(&other) != nil {
			panic("not read")
		}
		sum += other.Number + other.Drugs["iron"]
	}
	return sum
}

func noted(path string) {
	file, err := os.Create(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<16)
	defer out.Flush()
	notebook := log.New(out, "ward ", 0)               //-WHERE
	notebook := log.New(out, "ward ", log.Lshortfile) //WHERE
	for i := range notes {
		notebook.Print("bed ", i%40, " was seen")
	}
}

var fields = []string{"{name}", "Ada", "{day}", "Monday", "{room}", "12", "{doctor}", "Lind"}

func letter(number int) int {
	var total int
	filler := strings.NewReplacer(fields...) //-FRESH
	for range number {
		filler := strings.NewReplacer(fields...) //FRESH
		total += len(filler.Replace("Dear {name}, come on {day} to room {room}; {doctor} will see you then."))
	}
	return total
}

var reading = regexp.MustCompile(`^(\w+)=(\d+);(\w+)$`)

func measured() (sum int) {
	lines := []string{"pulse=72;ok", "oxygen=98;ok", "pressure=121;high", "not a reading"}
	for i := range readings {
		line := lines[i%4]
		if parts := reading.FindStringSubmatch(line); parts != nil { //PATTERN
			sum += len(parts[1]) + len(parts[2])*2 + len(parts[3])*3 //PATTERN
		} //PATTERN
		name, rest, found := strings.Cut(line, "=") //-PATTERN
		value, state, ended := strings.Cut(rest, ";") //-PATTERN
		if found && ended { //-PATTERN
			sum += len(name) + len(value)*2 + len(state)*3 //-PATTERN
		} //-PATTERN
	}
	return sum
}

func dosed() uint32 {
	dose := uint32(1) //-OTHER
	for i := range uint32(30000000) { //-OTHER
		dose = (dose ^ dose>>15) * 2246822519 + i //-OTHER
	} //-OTHER
	return dose //-OTHER
	drops := uint32(1) //OTHER
	for n := uint32(0); n != 30000000; n++ { //OTHER
		drops = n + 2246822519*(drops>>15^drops) //OTHER
	} //OTHER
	return drops //OTHER
}

func main() {
	noted(os.Args[1])
	fmt.Println(sent(), letter(letters), measured(), dosed())
}
