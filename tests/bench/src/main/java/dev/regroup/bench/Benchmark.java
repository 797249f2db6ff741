package dev.regroup.bench;

import java.nio.file.Path;
import java.util.List;

/** Something that is measured. Everything it starts or writes is gone when it returns. */
interface Benchmark {

  /**
   * How much is asked.
   *
   * @param rounds how often the slow things are repeated
   */
  record Effort(int rounds) {
    /** For every build: seconds, good enough to see a lost factor of two. */
    static final Effort QUICK = new Effort(6);

    /** For figures that are published. */
    static final Effort FULL = new Effort(100);
  }

  /** What people type to run this one alone. */
  String name();

  /**
   * Measures.
   *
   * @param folder an empty one for this benchmark alone
   */
  List<Figure> run(Path folder, Effort effort) throws Exception;
}
