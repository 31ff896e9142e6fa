import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Lets a Java program take turns under whyfast. One file without a package, to be copied beside the
 * program; Java 8 and newer, on systems with /dev/fd.
 *
 * <pre>
 * public static void main(String[] args) {
 *     int[] table = makeTable(1000);
 *     WhyfastTurn turns = new WhyfastTurn(args);
 *     turns.bench("sum", () -&gt; sum(table));
 *     turns.bench("max", () -&gt; max(table));
 * }
 * </pre>
 *
 * Started by whyfast, the program serves the benchmark that its first argument names (without one,
 * the first) and ends. By hand it measures those whose names contain the argument, and prints
 * nanoseconds per loop. The protocol is described in docs/turn-protocol.md.
 *
 * <p>The just-in-time compiler makes the first loops slower than later ones, so loops run for
 * {@link #warmup} before the program says that it is ready.
 */
public final class WhyfastTurn {
    private static final String VARIABLE = "WHYFAST_TURN";
    private static final int LONGEST_ERROR = 240;
    private static final long LONG_ENOUGH = 50_000_000L; // nanoseconds, by hand

    /** Results go here where a reader could see them, so that no compiler leaves the work out. */
    private static volatile Object sink;

    private final String wanted;
    private long warmup = 2_000_000_000L;

    /** Takes the first argument that is no option as the name of a benchmark. */
    public WhyfastTurn(String... args) {
        String found = null;
        for (String word : args) {
            if (found == null && !word.startsWith("-")) {
                found = word;
            }
        }
        wanted = found;
    }

    /** How long loops run before the first turn. */
    public WhyfastTurn warmup(long milliseconds) {
        warmup = milliseconds * 1_000_000L;
        return this;
    }

    /** Benchmarks {@code work}; what it returns, if it is a number or one word, is the check value. */
    public void bench(String name, Supplier<?> work) {
        turns(name, loops -> {
            Object last = null;
            for (long i = 0; i < loops; i++) {
                last = work.get();
                sink = last;
            }
            return last;
        });
    }

    /** Benchmarks {@code run}, which does the work that many times and returns the check value. */
    public void turns(String name, LongFunction<?> run) {
        int[] pipes = descriptors();
        if (pipes == null) {
            if (wanted == null || name.contains(wanted)) {
                measure(name, run);
            }
        } else if (wanted == null || wanted.equals(name)) {
            serve(pipes, run);
        }
    }

    /** Says that this program has no such benchmark, and why, and ends: that is no failure. */
    public static void lacks(String reason) {
        int[] pipes = descriptors();
        if (pipes == null) {
            System.err.println("no such benchmark: " + reason);
            System.exit(2);
        }
        try (OutputStream out = new FileOutputStream("/dev/fd/" + pipes[1])) {
            answer(out, "lacks " + oneLine(reason));
        } catch (IOException error) {
            unwritable(error);
        }
        System.exit(0);
    }

    private static int[] descriptors() {
        String text = System.getenv(VARIABLE);
        if (text == null) {
            return null;
        }
        if (!text.matches("[0-9]{1,8},[0-9]{1,8}")) {
            System.err.println(VARIABLE + " is malformed: expected two file descriptors, IN,OUT");
            System.exit(2);
        }
        int comma = text.indexOf(',');
        return new int[] {
            Integer.parseInt(text.substring(0, comma)), Integer.parseInt(text.substring(comma + 1))
        };
    }

    private void serve(int[] pipes, LongFunction<?> run) {
        try (InputStream in = new FileInputStream("/dev/fd/" + pipes[0]);
                OutputStream out = new FileOutputStream("/dev/fd/" + pipes[1])) {
            try {
                warmUp(run);
                answer(out, "ready 1");
                for (String line = next(in); line != null; line = next(in)) {
                    long loops = loops(line);
                    if (loops == 0) {
                        answer(out, "error malformed grant");
                        System.exit(2);
                    }
                    long start = System.nanoTime();
                    Object result = run.apply(loops);
                    long took = System.nanoTime() - start;
                    String check = check(result);
                    String end = check.isEmpty() ? "" : " " + check;
                    answer(out, took / 1_000_000_000L + "." + places(took) + end);
                }
            } catch (RuntimeException | Error error) {
                error.printStackTrace();
                answer(out, "error " + oneLine(error.toString()));
                System.exit(1);
            }
        } catch (IOException error) {
            unwritable(error);
        }
        System.exit(0);
    }

    private void warmUp(LongFunction<?> run) {
        long start = System.nanoTime();
        long loops = 1;
        while (System.nanoTime() - start < warmup) {
            long before = System.nanoTime();
            sink = run.apply(loops);
            if (System.nanoTime() - before < 1_000_000L) { // the lengths that turns will have
                loops *= 2;
            }
        }
    }

    /** The next line without its end; null at the end of file; "cut short" for half a line. */
    private static String next(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int character = in.read(); character != '\n'; character = in.read()) {
            if (character < 0) {
                return line.length() == 0 ? null : "cut short";
            }
            line.append((char) character);
        }
        return line.toString();
    }

    /** The number on a line; 0 for no number, and for one beyond what a {@code long} holds. */
    private static long loops(String line) {
        if (!line.matches("[0-9]{1,20}")) {
            return 0;
        }
        try {
            return Long.parseLong(line);
        } catch (NumberFormatException error) {
            return 0;
        }
    }

    private static String places(long nanoseconds) {
        String digits = Long.toString(1_000_000_000L + nanoseconds % 1_000_000_000L);
        return digits.substring(1);
    }

    private static String check(Object result) {
        boolean plain = result instanceof Number || result instanceof Boolean || result instanceof String;
        String text = plain ? String.valueOf(result) : "";
        return text.matches("\\S+") ? text : "";
    }

    private static void answer(OutputStream out, String line) throws IOException {
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String oneLine(String text) {
        String line = text.trim().replaceAll("\\s+", " ");
        return line.substring(0, Math.min(line.length(), LONGEST_ERROR));
    }

    private static void unwritable(IOException error) {
        System.err.println("cannot read from or write to whyfast: " + error.getMessage());
        System.exit(1);
    }

    private static void measure(String name, LongFunction<?> run) {
        long loops = 1;
        long best;
        Object result;
        do {
            loops *= 2;
            long start = System.nanoTime();
            result = run.apply(loops);
            best = System.nanoTime() - start;
        } while (best < LONG_ENOUGH && loops < Long.MAX_VALUE / 4);
        for (int i = 0; i < 6; i++) {
            long start = System.nanoTime();
            sink = run.apply(loops);
            best = Math.min(best, System.nanoTime() - start);
        }
        String check = check(result);
        System.out.printf(
            "%s: %.1f ns per loop (fastest of 7 values of %d loops)%s%n",
            name, (double) best / loops, loops, check.isEmpty() ? "" : ", check " + check);
    }
}
