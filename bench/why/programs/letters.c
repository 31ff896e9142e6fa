int weight(unsigned char letter)
{
    return letter - 'a' < 26u ? letter - 'a' + 1 : 0;
}
