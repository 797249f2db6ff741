package dev.regroup.cli.screen;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What went wrong with a file, in words. */
public final class Reason {

  private Reason() {}

  public static String of(IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> "no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      case JsonProcessingException e when e.getLocation() != null ->
          "line %d: %s".formatted(e.getLocation().getLineNr(), e.getOriginalMessage());
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> String.valueOf(failure.getMessage());
    };
  }
}
