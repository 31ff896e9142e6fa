import java.util.ArrayDeque;

/** Keeps the last pages of an archive. */
class Archive {
    public static void main(String[] words) {
        ArrayDeque<byte[][]> pages = new ArrayDeque<>();
        long sum = 0;
        for (int i = 0; i < 60000; i++) {
            byte[][] page = new byte[20][];
            for (int line = 0; line < page.length; line++) {
                page[line] = new byte[60];
            }
            pages.add(page);
            if (pages.size() > 8000) {
                sum += pages.remove()[3].length;
            }
        }
        System.out.println(sum);
    }
}
