package dev.regroup.runtime.linux;

import java.util.Map;

/** Error numbers of Linux that our code tells apart, and readable names for the usual ones. */
public final class Errno {

  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int ESRCH = 3;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int ENXIO = 6;
  public static final int E2BIG = 7;
  public static final int ENOEXEC = 8;
  public static final int EBADF = 9;
  public static final int ECHILD = 10;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int EXDEV = 18;
  public static final int ENODEV = 19;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int ETXTBSY = 26;
  public static final int ENOSPC = 28;
  public static final int EROFS = 30;
  public static final int EPIPE = 32;
  public static final int ENOSYS = 38;
  public static final int ELOOP = 40;
  public static final int EOPNOTSUPP = 95;
  public static final int ECONNRESET = 104;

  private static final Map<Integer, String> TEXTS =
      Map.ofEntries(
          Map.entry(EPERM, "operation not permitted"),
          Map.entry(ENOENT, "no such file or directory"),
          Map.entry(ESRCH, "no such process"),
          Map.entry(EINTR, "interrupted"),
          Map.entry(EIO, "input/output error"),
          Map.entry(ENXIO, "no such device or address"),
          Map.entry(E2BIG, "argument list too long"),
          Map.entry(ENOEXEC, "exec format error"),
          Map.entry(EBADF, "bad file descriptor"),
          Map.entry(ECHILD, "no child processes"),
          Map.entry(EAGAIN, "resource temporarily unavailable"),
          Map.entry(ENOMEM, "cannot allocate memory"),
          Map.entry(EACCES, "permission denied"),
          Map.entry(EBUSY, "device or resource busy"),
          Map.entry(EEXIST, "file exists"),
          Map.entry(EXDEV, "leads out of its file system or directory"),
          Map.entry(ENODEV, "no such device"),
          Map.entry(ENOTDIR, "not a directory"),
          Map.entry(EISDIR, "is a directory"),
          Map.entry(EINVAL, "invalid argument"),
          Map.entry(23, "too many open files in system"),
          Map.entry(24, "too many open files"),
          Map.entry(ETXTBSY, "text file busy"),
          Map.entry(ENOSPC, "no space left on device"),
          Map.entry(EROFS, "read-only file system"),
          Map.entry(EPIPE, "broken pipe"),
          Map.entry(36, "file name too long"),
          Map.entry(ENOSYS, "not implemented by this kernel"),
          Map.entry(ELOOP, "too many levels of symbolic links"),
          Map.entry(EOPNOTSUPP, "not supported"),
          Map.entry(98, "address already in use"),
          Map.entry(ECONNRESET, "connection reset"));

  private Errno() {}

  /** For people: {@code no such file or directory}, or {@code errno 71}. */
  public static String text(int errno) {
    return TEXTS.getOrDefault(errno, "errno " + errno);
  }
}
