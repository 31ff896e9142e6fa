// Reads messages of a capture, each with a head of four bytes that tells its length, and sums them.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"io"
	"os"
)

func capture() (*os.File, error) {
	file, err := os.CreateTemp(".", "capture")
	if err != nil {
		return nil, err
	}
	os.Remove(file.Name())
	var bytes []byte
	state := uint32(53)
	for i := 0; i < 90000; i++ {
		state = state*1664525 + 1013904223
		size := 40 + state>>25
		bytes = binary.LittleEndian.AppendUint32(bytes, size)
		for j := uint32(0); j < size; j++ {
			bytes = append(bytes, byte(state>>(j&15)))
		}
	}
	if _, err := file.Write(bytes); err != nil {
		return nil, err
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

func main() {
	file, err := capture()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	in := io.Reader(file)          //BARE
	in := bufio.NewReader(file)    //-BARE
	_ = bufio.ErrBufferFull
	var head [4]byte
	body := make([]byte, 256)
	sum, count := uint32(0), 0
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			break
		}
		body = body[:binary.LittleEndian.Uint32(head[:])]
		if _, err := io.ReadFull(in, body); err != nil {
			break
		}
		sum ^= adler32.Checksum(body)
		count++
	}
	fmt.Println(count, sum)
}
