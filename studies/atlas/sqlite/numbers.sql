-- Numbers without a table: the machine alone.
create table checks (name text, result int, expected int, check (result = expected));

with recursive n(i, x) as (
  select 1, 1 union all select i + 1, (x * 16807) % 2147483647 from n where i < 300000
)
insert into checks select 'seeds', count(*), 149232 from n where x % 2 = 0;

with recursive fibonacci(i, a, b) as (
  select 0, 0, 1 union all select i + 1, b, (a + b) % 1000007 from fibonacci where i < 200000
)
insert into checks select 'fibonacci', a, 449758 from fibonacci where i = 200000;
