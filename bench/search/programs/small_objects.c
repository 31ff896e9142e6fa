/* Parses an array of 500 small objects, as often as the first argument says (50 times). */
#include <stdio.h>
#include <stdlib.h>

#include "parson.h"

int main(int count, char **words)
{
    static char text[200000];
    int times = count > 1 ? atoi(words[1]) : 50;
    char *at = text + sprintf(text, "[");
    for (int i = 0; i < 500; i++)
        at += sprintf(at, "%s{\"id\": %d, \"name\": \"n%d\", \"tags\": [\"a\", \"b/c\"], \"ok\": true}", i ? "," : "", i, i);
    sprintf(at, "]");
    size_t sum = 0;
    for (int i = 0; i < times; i++) {
        JSON_Value *value = json_parse_string(text);
        sum += json_array_get_count(json_value_get_array(value));
        json_value_free(value);
    }
    return sum != 500u * (size_t)times;
}
