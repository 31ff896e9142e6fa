import java.util.ArrayList;
import java.util.List;

/** Adds up scores of many rounds. */
class Scores {
    static long total(int rounds) {
        long sum = 0;
        for (int round = 0; round < rounds; round++) {
            List<Integer> scores = new ArrayList<>(20000);
            for (int i = 0; i < 20000; i++) {
                scores.add(i * 3 + round);
            }
            for (int score : scores) {
                sum += score;
            }
        }
        return sum;
    }

    public static void main(String[] words) {
        System.out.println(total(1000));
    }
}
