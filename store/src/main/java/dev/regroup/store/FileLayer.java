package dev.regroup.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Port to the files of one data directory. What was appended is safe only after {@link
 * Output#force}; a name that was made, renamed or deleted is safe only after {@link
 * #forceDirectory}. A file that was not closed may be found with zeros after what was appended. A
 * test implementation takes this literally and forgets the rest in a crash.
 */
interface FileLayer extends Closeable {

  /** Names the directory for people. */
  String place();

  /** The names of all files, in order. */
  List<String> list() throws IOException;

  long size(String name) throws IOException;

  InputStream read(String name) throws IOException;

  /** Makes an empty file that did not exist. */
  Output create(String name) throws IOException;

  /** Opens an existing file to go on after its first {@code length} bytes; the rest is cut off. */
  Output resume(String name, long length) throws IOException;

  /** Renames a file, taking the place of one that has the new name. */
  void rename(String from, String to) throws IOException;

  void delete(String name) throws IOException;

  void forceDirectory() throws IOException;

  /** A file open for appending. One thread at a time. */
  interface Output extends Closeable {

    /** Appends all that remains in the buffer. */
    void append(ByteBuffer bytes) throws IOException;

    /** Returns when everything appended so far survives a loss of power. */
    void force() throws IOException;

    /** How many bytes can be appended without asking the disk for more. */
    long room();

    /**
     * Gets room for so many bytes ahead of what was appended; the file is found with zeros there. A
     * sync then need not record a new length, which costs several times as much (ext4 commits its
     * journal for it). When it fails, the room is as before.
     */
    void reserve(long bytes) throws IOException;

    /** Takes back all but the first {@code length} bytes and returns when that is safe. */
    void cut(long length) throws IOException;
  }
}
