# Functions that call themselves, and closures.
(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))

(defn ackermann [m n]
  (cond
    (= m 0) (+ n 1)
    (= n 0) (ackermann (- m 1) 1)
    (ackermann (- m 1) (ackermann m (- n 1)))))

(defn counter []
  (var n 0)
  (fn [] (++ n)))

(unless (= (fib 29) 514229) (error "fib"))
(unless (= (ackermann 2 200) 403) (error "ackermann"))
(var last 0)
(for i 0 500
  (def count (counter))
  (for j 0 100 (set last (count))))
(unless (= last 100) (error "counter"))
