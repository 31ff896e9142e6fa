-- A table with an index, grouped and joined with itself.
create table checks (name text, result int, expected int, check (result = expected));
create table sales (id integer primary key, customer int, amount int);

with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
insert into sales select i, (i * 7919) % 997, (i * 31) % 1000 from n;
create index by_customer on sales (customer);

insert into checks select 'sum', sum(total), 29970000
  from (select customer, sum(amount) as total from sales group by customer);
insert into checks select 'pairs', count(*), 19557
  from sales a join sales b on b.customer = a.customer where a.id % 100 = 0 and b.amount > a.amount;
