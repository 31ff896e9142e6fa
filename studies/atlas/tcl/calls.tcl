# Procedures that call themselves.
proc fib {n} {
    if {$n < 2} {return $n}
    expr {[fib [expr {$n - 1}]] + [fib [expr {$n - 2}]]}
}

proc ackermann {m n} {
    if {$m == 0} {return [expr {$n + 1}]}
    if {$n == 0} {return [ackermann [expr {$m - 1}] 1]}
    ackermann [expr {$m - 1}] [ackermann $m [expr {$n - 1}]]
}

if {[fib 25] != 75025} {error fib}
if {[ackermann 2 60] != 123} {error ackermann}
