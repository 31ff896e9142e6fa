# Numbers in lists: a sieve and queens on a board.
proc sieve {n} {
    set composite [lrepeat [expr {$n + 1}] 0]
    set primes 0
    for {set i 2} {$i <= $n} {incr i} {
        if {[lindex $composite $i]} continue
        incr primes
        for {set j [expr {$i * $i}]} {$j <= $n} {incr j $i} {lset composite $j 1}
    }
    return $primes
}

proc queens {n row used rising falling} {
    if {$row == $n} {return 1}
    set solutions 0
    for {set column 0} {$column < $n} {incr column} {
        set up [expr {$row + $column}]
        set down [expr {$row - $column + $n}]
        if {[lindex $used $column] || [lindex $rising $up] || [lindex $falling $down]} continue
        lset used $column 1
        lset rising $up 1
        lset falling $down 1
        incr solutions [queens $n [expr {$row + 1}] $used $rising $falling]
        lset used $column 0
        lset rising $up 0
        lset falling $down 0
    }
    return $solutions
}

if {[sieve 300000] != 25997} {error sieve}
if {[queens 6 0 [lrepeat 6 0] [lrepeat 12 0] [lrepeat 12 0]] != 4} {error queens}
