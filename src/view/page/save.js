// Saves what the canvas shows as a PNG file.

export function savePicture(view) {
  view.canvas.toBlob((blob) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = 'view.png';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}
