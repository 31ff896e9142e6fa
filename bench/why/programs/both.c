/* Two jobs, one after the other. */
int first(void);
int second(void);

int main(void)
{
    int failed = first();
    return second() || failed;
}
