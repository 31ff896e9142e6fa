# Integers in arrays: a sieve and queens on a board.
(defn sieve [n]
  (def composite (array/new-filled (+ n 1) false))
  (var primes 0)
  (loop [i :range [2 (+ n 1)]]
    (unless (composite i)
      (++ primes)
      (var j (* i i))
      (while (<= j n)
        (put composite j true)
        (+= j i))))
  primes)

(defn queens [n]
  (def columns (array/new-filled n false))
  (def rising (array/new-filled (* 2 n) false))
  (def falling (array/new-filled (* 2 n) false))
  (var solutions 0)
  (defn place [row]
    (if (= row n)
      (++ solutions)
      (for column 0 n
        (def up (+ row column))
        (def down (+ (- row column) n))
        (unless (or (columns column) (rising up) (falling down))
          (put columns column true) (put rising up true) (put falling down true)
          (place (+ row 1))
          (put columns column false) (put rising up false) (put falling down false)))))
  (place 0)
  solutions)

(unless (= (sieve 500000) 41538) (error "sieve"))
(unless (= (queens 9) 352) (error "queens"))
