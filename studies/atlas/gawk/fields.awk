# Words counted, as awk is mostly used: lines split into fields, sums by the first of them.
BEGIN {
  for (i = 1; i <= 60000; i++) {
    $0 = "user" (i * 7919) % 101 " " i " " (i * 31) % 1000 " GET /page" i % 17
    total[$1] += $3
    if ($5 ~ /^\/page1/) hits++
    $2 = "-"
    length_of_all += length($0)
  }
  for (name in total) sum += total[name]
  if (length(total) != 101 || sum != 29970000 || hits != 28233) exit 1
  if (length_of_all != 1392756) exit 1
}
