/* Code that nobody calls. */
#ifndef FILL
#define FILL 8
#endif
#define TEXT_OF(n) #n
#define TEXT(n) TEXT_OF(n)

__asm__(".text\n.balign 64\n.skip " TEXT(FILL) "\n");
